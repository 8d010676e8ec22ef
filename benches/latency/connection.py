"""A language server at the other end of two pipes, and the clock.

One thread does everything: what is measured are the server and the pipes, not a hand-over between
threads of ours. A time begins right before the first byte of a message is written, and ends when the
last byte of the answer has been read, before that is decoded.
"""

import json
import os
import re
import select
import subprocess
import time
import uuid

now = time.perf_counter
# Every process that a server starts inherits this variable: a daemon counts too, and is ended too.
MARK = "JSON_BENCH_RUN"


class Gone(Exception):
    """The server has ended, or takes longer than it may."""


def frame(*pieces):
    """A message as buffers: one value, or the pieces of an encoded body."""
    if not isinstance(pieces[0], bytes):
        pieces = [json.dumps(pieces[0], ensure_ascii=False, separators=(",", ":")).encode()]
    pieces = [b"Content-Length: %d\r\n\r\n" % sum(map(len, pieces)), *pieces]
    return [b"".join(pieces)] if sum(map(len, pieces)) < 65536 else pieces


class Connection:
    def __init__(self, command, folder, settings, limit, log):
        self.run, self.settings, self.limit = uuid.uuid4().hex, settings, limit
        self.received, self.replies, self.published, self.registered = bytearray(), {}, [], []
        self.request_number = 0
        self.started = now()
        self.process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, MARK: self.run}, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.input, False)
        os.set_blocking(self.output, False)

    # -- messages out
    def write(self, buffers, deadline):
        for buffer in buffers:
            view = memoryview(buffer)
            while view:
                try:
                    view = view[os.write(self.input, view):]
                except BlockingIOError:
                    # Reading on meanwhile: a server that waits for us to read takes nothing more.
                    ready, writable, _ = select.select([self.output], [self.input], [], max(0, deadline - now()))
                    if ready:
                        self.read_some()
                    elif not writable:
                        raise Gone("takes no more input")
                except OSError as error:
                    raise Gone(f"cannot be written to: {error}")

    def notify(self, method, params):
        self.write(frame({"jsonrpc": "2.0", "method": method, "params": params}), now() + self.limit)

    def request(self, method, params):
        """A request as its number and buffers."""
        self.request_number += 1
        message = {"jsonrpc": "2.0", "id": self.request_number, "method": method, "params": params}
        return self.request_number, frame(message)

    def call(self, method, params):
        """Seconds, and the result."""
        number, buffers = self.request(method, params)
        self.settle(0)
        start = now()
        self.write(buffers, start + self.limit)
        end, result = self.reply(number, start + self.limit)
        return end - start, result

    # -- messages in
    def read_some(self):
        try:
            data = os.read(self.output, 1 << 20)
        except BlockingIOError:
            return
        if not data:
            raise Gone(f"has ended with status {self.process.poll()}")
        at = now()
        self.received += data
        while True:
            end = self.received.find(b"\r\n\r\n")
            if end < 0:
                return
            length = int(re.search(rb"content-length: *(\d+)", self.received[:end], re.I)[1])
            if len(self.received) < end + 4 + length:
                return
            body = bytes(self.received[end + 4:end + 4 + length])
            del self.received[:end + 4 + length]
            self.take(at, json.loads(body))

    def take(self, at, message):
        method, number = message.get("method"), message.get("id")
        if method and number is not None:
            result = self.answer(method, message.get("params"))
            self.write(frame({"jsonrpc": "2.0", "id": number, "result": result}), now() + self.limit)
        elif method == "textDocument/publishDiagnostics":
            self.published.append((at, message["params"]))
        elif number is not None:
            self.replies[number] = at, message

    def answer(self, method, params):
        """What we say to a request of the server."""
        if method == "workspace/configuration":
            return [self.section(item.get("section") or "") for item in params["items"]]
        if method == "client/registerCapability":
            self.registered += [registration["method"] for registration in params["registrations"]]
        if method == "workspace/applyEdit":
            return {"applied": False}
        return None

    def section(self, dotted):
        node = self.settings
        for key in filter(None, dotted.split(".")):
            node = node.get(key) if isinstance(node, dict) else None
        return node

    def wait(self, found, deadline):
        while (result := found()) is None:
            left = deadline - now()
            if left <= 0:
                raise Gone(f"over {self.limit:g} s")
            if select.select([self.output], [], [], left)[0]:
                self.read_some()
        return result

    def reply(self, number, deadline):
        at, message = self.wait(lambda: self.replies.pop(number, None), deadline)
        if "error" in message:
            raise Gone(f"answers {json.dumps(message['error'])[:200]}")
        return at, message["result"]

    def settle(self, seconds):
        """Reads what comes within this time, and whatever has come."""
        deadline = now() + seconds
        while select.select([self.output], [], [], max(0, deadline - now()))[0]:
            self.read_some()

    # -- what it costs
    def processes(self):
        mine, found = f"{MARK}={self.run}".encode(), []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/environ", "rb") as environment:
                    if mine in environment.read().split(b"\0"):
                        found.append(int(entry))
            except OSError:
                pass
        return found

    def memory(self):
        """Resident bytes now, and at the peak, of all its processes."""
        sums = {"VmRSS": 0, "VmHWM": 0}
        for process in self.processes():
            try:
                with open(f"/proc/{process}/status") as status:
                    for field, kib in re.findall(r"^(VmRSS|VmHWM):\s+(\d+)", status.read(), re.M):
                        sums[field] += int(kib) * 1024
            except OSError:
                pass
        return sums["VmRSS"], sums["VmHWM"]

    def cpu_seconds(self):
        nanoseconds = 0
        for process in self.processes():
            try:
                for thread in os.listdir(f"/proc/{process}/task"):
                    with open(f"/proc/{process}/task/{thread}/schedstat") as schedstat:
                        nanoseconds += int(schedstat.read().split()[0])
            except OSError:
                pass
        return nanoseconds / 1e9

    def close(self):
        try:
            if self.process.poll() is None:
                self.limit = 3
                self.call("shutdown", None)
                self.notify("exit", None)
                self.process.wait(3)
        except (Gone, subprocess.TimeoutExpired):
            pass
        for process in self.processes():
            try:
                os.kill(process, 9)
            except OSError:
                pass
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
