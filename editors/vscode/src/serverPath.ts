// Where the server's binary is: the setting, then the one that is bundled,
// then `PATH`.

import { join, isAbsolute, delimiter } from "node:path";

/** What the lookup depends on. */
export interface Surroundings {
  /** `jsonRepair.server.path`; empty where it is not set. */
  readonly setting: string;
  /** The folder that this extension is installed in. */
  readonly extensionFolder: string;
  /** The first folder of the workspace: a relative setting starts there. */
  readonly workspaceFolder: string | undefined;
  readonly homeFolder: string;
  readonly path: string;
  readonly platform: NodeJS.Platform;
  readonly isFile: (path: string) => boolean;
}

/** The server's binary, or why there is none. */
export type Lookup =
  | { readonly found: true; readonly path: string; readonly from: "setting" | "bundled" | "PATH" }
  | { readonly found: false; readonly message: string };

/**
 * Looks for the server.
 *
 * A setting that leads nowhere is an error: whoever set it would not want
 * another server to run without a word.
 */
export function findServer(surroundings: Surroundings): Lookup {
  const { setting, extensionFolder, path, platform, isFile } = surroundings;
  if (setting !== "") {
    const resolved = resolveSetting(surroundings);
    return isFile(resolved)
      ? { found: true, path: resolved, from: "setting" }
      : { found: false, message: `jsonRepair.server.path leads to no file: ${resolved}` };
  }
  const binary = platform === "win32" ? "json-repair-lsp.exe" : "json-repair-lsp";
  const bundled = join(extensionFolder, "server", binary);
  if (isFile(bundled)) return { found: true, path: bundled, from: "bundled" };
  // An empty or relative entry would mean the current folder, which may be
  // anybody's.
  const folders = path.split(delimiter).filter(isAbsolute);
  const onPath = folders.map(folder => join(folder, binary)).find(isFile);
  if (onPath !== undefined) return { found: true, path: onPath, from: "PATH" };
  return {
    found: false,
    message: `${binary} was not found: none is bundled with this extension, and none is on the PATH. Install it, or set jsonRepair.server.path.`,
  };
}

function resolveSetting({ setting, homeFolder, workspaceFolder }: Surroundings): string {
  if (/^~[/\\]/.test(setting)) return join(homeFolder, setting.slice(2));
  const path = setting.replaceAll("${workspaceFolder}", workspaceFolder ?? "");
  return isAbsolute(path) || workspaceFolder === undefined ? path : join(workspaceFolder, path);
}
