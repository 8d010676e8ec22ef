// The server's process, which must be gone whatever the client makes of it.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

/** How long a server is waited for, to answer first and to end last. */
const PATIENCE_TO_START = 15_000;
const PATIENCE_TO_END = 1000;

/** A running server, of which only the streams are of use to the client. */
export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
  }

  /** Starts the binary at `path`; rejects where the system cannot. */
  static async start(path: string): Promise<ServerProcess> {
    const child = spawn(path, ["--stdio"], { stdio: "pipe", windowsHide: true });
    // Without a listener a write to a server that is gone would end the
    // extension host; that it is gone is seen by its exit.
    child.stdin.on("error", () => {});
    await once(child, "spawn");
    return new ServerProcess(child);
  }

  /**
   * Waits for `started`, but not for ever: a client waits on for the answer of
   * a server that is gone, or that is no server at all.
   */
  async unlessItFails<Started>(started: Promise<Started>): Promise<Started> {
    const over = new AbortController();
    const { signal } = over;
    const late = pause(PATIENCE_TO_START, undefined, { signal }).then(() => {
      throw new Error("it does not answer");
    });
    const gone = once(this.child, "exit", { signal }).then(([code, killer]) => {
      throw new Error(`it ended at once, with ${killer ?? `exit status ${code}`}`);
    });
    // The losers of the race are nobody's business.
    for (const loser of [started, late, gone]) loser.catch(() => {});
    try {
      return await Promise.race([started, late, gone]);
    } finally {
      over.abort();
    }
  }

  /** Waits until the process is gone; kills it where that takes too long. */
  async end(): Promise<void> {
    const { child } = this;
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    if (hasEnded()) return;
    child.stdin.end();
    await Promise.race([once(child, "exit"), pause(PATIENCE_TO_END)]);
    if (!hasEnded()) child.kill("SIGKILL");
  }
}
