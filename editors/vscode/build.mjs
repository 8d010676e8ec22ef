// Bundles the extension into dist/, and with --tests the tests into dist/test/.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, platform: "node", format: "cjs", logLevel: "warning" };

await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  external: ["vscode"],
  target: "node18",
  minify: true,
});

if (process.argv.includes("--tests")) {
  const tests = folder =>
    readdirSync(`test/${folder}`)
      .filter(name => name.endsWith(".ts"))
      .map(name => `test/${folder}/${name}`);
  await build({
    ...common,
    entryPoints: [...tests("unit"), "test/host/index.ts", ...tests("drive")],
    outbase: "test",
    outdir: "dist/test",
    external: ["vscode", "playwright-core"],
    target: "node20",
  });
}
