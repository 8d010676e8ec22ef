"""A language client that counts: what the server sends, how long it takes, what memory it has."""

import json
import os
import subprocess
import threading
import time


class Client:
    """Runs the server and reads all that it sends on a thread of its own."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answers = {}
        # Of each document: its version and number of diagnostics, as published last.
        self.published = {}
        self.publications = 0
        self.changed = threading.Condition()
        self.next_id = 0
        threading.Thread(target=self._read, daemon=True).start()
        params = {
            "processId": os.getpid(),
            "capabilities": {
                "textDocument": {
                    "codeAction": {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}},
                    "publishDiagnostics": {"relatedInformation": True},
                },
            },
        }
        self.request("initialize", params)
        self.notify("initialized", {})

    def _read(self):
        output = self.process.stdout
        while True:
            header = output.readline()
            if not header:
                break
            output.readline()
            message = json.loads(output.read(int(header.split(b":")[1])))
            with self.changed:
                if message.get("method") == "textDocument/publishDiagnostics":
                    params = message["params"]
                    self.published[params["uri"]] = (params.get("version"), len(params["diagnostics"]))
                    self.publications += 1
                elif "method" not in message:
                    self.answers[message["id"]] = message
                self.changed.notify_all()

    def send(self, message):
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send_request(self, method, params):
        self.next_id += 1
        self.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        return self.next_id

    def answer(self, request):
        self.wait(lambda: request in self.answers)
        return self.answers.pop(request)

    def request(self, method, params):
        return self.answer(self.send_request(method, params))

    def wait(self, is_done, patience=600):
        with self.changed:
            if not self.changed.wait_for(is_done, patience):
                raise SystemExit("the server hangs")

    def open(self, uri, text, version=1, language_id="json"):
        item = {"uri": uri, "languageId": language_id, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri, version, changes):
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes}
        self.notify("textDocument/didChange", params)

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def wait_for_version(self, uri, version):
        self.wait(lambda: self.published.get(uri, (None, 0))[0] == version)

    def barrier(self):
        """Returns when all that was sent has been taken up."""
        self.request("workspace/executeCommand", {"command": "jsonRepair.execute", "arguments": [{"text": ""}]})

    def code_actions(self, uri, line, character, only=None):
        place = {"line": line, "character": character}
        context = {"diagnostics": [], **({"only": only} if only else {})}
        params = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context}
        return self.request("textDocument/codeAction", params)["result"]

    def fix_all(self, uri):
        [action] = self.code_actions(uri, 0, 0, ["source.fixAll.jsonRepair"])
        return action if "edit" in action else self.request("codeAction/resolve", action)["result"]

    def memory(self, field="VmRSS"):
        """In MiB; 0 where the system does not tell."""
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                lines = dict(line.split(":", 1) for line in status)
        except OSError:
            return 0.0
        return int(lines[field].split()[0]) / 1024

    def processor_time(self):
        """In seconds, over all threads; 0 where the system does not tell."""
        try:
            with open(f"/proc/{self.process.pid}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        if self.process.wait(60) != 0:
            raise SystemExit(f"exit status {self.process.returncode}")


def insertion(line, character, text):
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "text": text}


class Timer:
    """Seconds by the clock, and those that the server computed."""

    def __init__(self, client):
        self.client = client

    def __enter__(self):
        self.computed = self.client.processor_time()
        self.start = time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.start
        self.computed = self.client.processor_time() - self.computed
