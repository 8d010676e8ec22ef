#!/usr/bin/env python3
"""Loads a release build and prints what it takes: seconds by the clock, seconds that the server
computed, and MiB of resident memory.

    tests/load/load.py [target/release/json-repair-lsp] [NAME...]

The times by the clock hold the client's own as well: it is Python, and encodes every message.
"""

import subprocess
import sys

from client import Client, Timer, insertion

URI = "file:///p/a.json"
BINARY = next((a for a in sys.argv[1:] if "/" in a), "target/release/json-repair-lsp")
NAMES = [a for a in sys.argv[1:] if "/" not in a]


def say(what, timer, client, more=""):
    print(f"  {what:44} {timer.seconds:8.3f} s {timer.computed:6.2f} s {client.memory():9.1f} MiB {more}", flush=True)


def answers(client, uri, version, line, character):
    """What an editor asks while somebody types."""
    with Timer(client) as timer:
        client.change(uri, version, [insertion(line, character, " ")])
        client.wait_for_version(uri, version)
    say("a keystroke to its diagnostics", timer, client)
    with Timer(client) as timer:
        client.code_actions(uri, line, character)
    say("code actions", timer, client)
    with Timer(client) as timer:
        params = {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}
        client.request("textDocument/formatting", params)
    say("formatting", timer, client)


def documents(client):
    text = '{"list": [1, 2,], // two\n "name": "é😀"}\n' * 10
    with Timer(client) as timer:
        for index in range(10_000):
            client.open(f"file:///p/{index}.json", text)
        client.wait(lambda: len(client.published) == 10_000)
    say("10,000 documents opened, diagnostics shown", timer, client)
    answers(client, "file:///p/5000.json", 2, 0, 0)
    with Timer(client) as timer:
        for index in range(10_000):
            client.close(f"file:///p/{index}.json")
        client.wait(lambda: client.publications == 20_001)
    say("10,000 documents closed", timer, client)


def burst(client):
    client.open(URI, "[\n" + "1,\n" * 10_000 + "]")
    client.wait_for_version(URI, 1)
    with Timer(client) as timer:
        for index in range(50_000):
            client.change(URI, index + 2, [insertion(index % 10_000, 0, "2,")])
        client.wait_for_version(URI, 50_001)
    say("50,000 changes in a burst", timer, client, f"{client.publications} publications")
    answers(client, URI, 50_002, 0, 0)


def large(client):
    element = '{"key": [1, 2, 3, "four"], "more": {"é": null}},\n'
    text = "[" + element * (100 * 2**20 // len(element.encode())) + "1,]"
    lines = text.count("\n")
    with Timer(client) as timer:
        client.open(URI, text)
        client.wait_for_version(URI, 1)
    say("100 MiB opened, diagnostics shown", timer, client)
    answers(client, URI, 2, lines // 2, 0)
    with Timer(client) as timer:
        client.change(URI, 3, [insertion(0, 0, '"')])
        client.wait_for_version(URI, 3)
    say("a quote at its beginning", timer, client)
    with Timer(client) as timer:
        client.change(URI, 4, [{"text": text}])
        client.barrier()
    say("100 MiB changed, the next request answered", timer, client)
    client.wait_for_version(URI, 4)


def brackets(client):
    with Timer(client) as timer:
        client.open(URI, "[" * 1_000_000)
        client.wait_for_version(URI, 1)
    say("a million brackets open", timer, client)
    answers(client, URI, 2, 0, 500_000)


def line(client):
    text = "[" + '{"key": "é😀", "list": [1, 2]},' * (50_000_000 // 36) + "1,]"
    with Timer(client) as timer:
        client.open(URI, text)
        client.wait_for_version(URI, 1)
    say(f"a line of {len(text.encode()) / 1e6:.0f} MB", timer, client)
    answers(client, URI, 2, 0, 20_000_000)


def edits(client):
    with Timer(client) as timer:
        client.open(URI, "[" + "[1,], // c\n" * 50_000 + "1]")
        client.wait_for_version(URI, 1)
    say("100,000 edits found", timer, client, f"{client.published[URI][1]} diagnostics")
    with Timer(client) as timer:
        action = client.fix_all(URI)
    [change] = action["edit"]["documentChanges"] if "documentChanges" in action["edit"] else [
        {"edits": action["edit"]["changes"][URI]}
    ]
    say("fix-all", timer, client, f"{len(change['edits'])} edits")
    answers(client, URI, 2, 0, 0)


def unread(client):
    """A client that asks and does not read: memory stops growing, and so does what it can send."""
    client.end()
    import json
    import threading
    import time

    server = subprocess.Popen([BINARY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.stdin.flush()

    sent = 0

    def flood():
        nonlocal sent
        try:
            send({"id": 0, "method": "initialize", "params": {"capabilities": {}}})
            item = {"uri": URI, "languageId": "json", "version": 1, "text": "[" + '"x",' * 1_000_000 + "]"}
            send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
            for index in range(1, 100_000):
                params = {"command": "jsonRepair.report", "arguments": [{"uri": URI}]}
                send({"id": index, "method": "workspace/executeCommand", "params": params})
                sent = index
        except OSError:
            pass

    threading.Thread(target=flood, daemon=True).start()
    client.process = server
    with Timer(client) as timer:
        time.sleep(20)
    say("reports of 4 MB asked for, and not read", timer, client, f"{sent} asked for, peak {client.memory('VmHWM'):.1f} MiB")
    server.kill()
    server.wait()


for load in [documents, burst, large, brackets, line, edits, unread]:
    if NAMES and load.__name__ not in NAMES:
        continue
    print(load.__name__)
    client = Client(BINARY)
    load(client)
    if client.process.poll() is None:
        print(f"  {'peak':44} {client.memory('VmHWM'):29.1f} MiB")
        client.end()
