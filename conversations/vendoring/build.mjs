// Bundles each library into one minified ES module among the page's static files, its licence beside it.
import { build } from "esbuild";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";

const LIBRARIES = {
  "markdown-it": "markdown-it",
  "markdown-it-cjk-friendly": "markdown-it-cjk-friendly",
  dompurify: "dompurify",
  highlight: "highlight.js/lib/common",
};

const VENDOR = "../static/conversations/vendor";

const owner = (input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];

async function licence(name) {
  const folder = `node_modules/${name}`;
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
  const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const text = file ? await readFile(`${folder}/${file}`, "utf8") : `Licensed under ${license}.\n`;
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

await rm(VENDOR, { recursive: true, force: true });
await mkdir(VENDOR);
for (const [name, module] of Object.entries(LIBRARIES)) {
  const { metafile } = await build({
    stdin: { contents: `export { default } from "${module}";`, resolveDir: "." },
    outfile: `${VENDOR}/${name}.js`,
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    legalComments: "none",
    charset: "utf8",
    metafile: true,
  });
  const packages = [...new Set(Object.keys(metafile.inputs).map(owner).filter(Boolean))].sort();
  const licences = await Promise.all(packages.map(licence));
  await writeFile(`${VENDOR}/${name}.LICENSE.txt`, licences.join(`\n${"-".repeat(72)}\n\n`));
}
