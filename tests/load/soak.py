#!/usr/bin/env python3
"""Random work for a while, with the resident memory sampled: flat at the end.

    tests/load/soak.py [target/release/json-repair-lsp] [SECONDS]

Ten minutes by default. The exit status is 1 if memory in the last quarter is over that of the
second one by more than a tenth and 8 MiB.
"""

import random
import sys
import time

from client import Client, insertion

BINARY = sys.argv[1] if len(sys.argv) > 1 else "target/release/json-repair-lsp"
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 600.0
PIECES = ["{", "}", "[", "]", ",", '"', '"é😀"', "1", "true", ":", "// c\n", "/* c */", "\n", "\r\n", "[1,],", "\u2028"]
MOST_DOCUMENTS = 40
LONGEST = 400_000


def text(most):
    return "".join(random.choices(PIECES, k=random.randrange(most)))


def range_of(line, character, length):
    return {"start": {"line": line, "character": character}, "end": {"line": line, "character": character + length}}


random.seed(1)
client = Client(BINARY)
documents = {}
opened = requests = 0
samples = []
start = time.monotonic()
next_sample = start
while (now := time.monotonic()) < start + SECONDS:
    if now >= next_sample:
        client.barrier()
        samples.append(client.memory())
        print(f"{now - start:7.1f} s {samples[-1]:8.1f} MiB {opened:8} opened {requests:9} requests", flush=True)
        next_sample = now + SECONDS / 40
    choice = random.random()
    if len(documents) < MOST_DOCUMENTS and choice < 0.1 or not documents:
        opened += 1
        # The space is one that a parsed URI does not have.
        uri = f"file:///p/a {opened}.json"
        large = random.random() < 0.05
        opened_text = "[" + "[1, 2,], // c\n" * 10_000 if large else text(200)
        documents[uri] = [1, len(opened_text)]
        client.open(uri, opened_text, 1, random.choice(["json", "jsonc"]))
        continue
    uri = random.choice(list(documents))
    state = documents[uri]
    if choice < 0.15:
        client.close(uri)
        del documents[uri]
    elif choice < 0.8:
        state[0] += 1
        if state[1] > LONGEST:
            inserted = text(50)
            state[1] = len(inserted)
            client.change(uri, state[0], [{"text": inserted}])
        else:
            inserted = text(6)
            state[1] += len(inserted)
            place = (random.randrange(20), random.randrange(40))
            changes = [insertion(*place, inserted), {"range": range_of(*place, random.randrange(5)), "text": ""}]
            client.change(uri, state[0], changes)
    elif choice < 0.9:
        requests += 1
        client.code_actions(uri, random.randrange(20), random.randrange(40))
    elif choice < 0.95:
        requests += 1
        params = {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}
        client.request("textDocument/formatting", params)
    else:
        requests += 1
        client.request("workspace/executeCommand", {"command": "jsonRepair.report", "arguments": [{"uri": uri}]})
    if random.random() < 0.001:
        # Whoever types pauses now and then.
        time.sleep(0.05)
for uri in list(documents):
    client.close(uri)
client.barrier()
print(f"all closed: {client.memory():.1f} MiB, peak {client.memory('VmHWM'):.1f} MiB")
client.end()
quarter = len(samples) // 4
second, last = max(samples[quarter : 2 * quarter] or [0]), max(samples[-quarter:] or [0])
print(f"the most in the second quarter {second:.1f} MiB, in the last {last:.1f} MiB")
sys.exit(last > second * 1.1 + 8)
