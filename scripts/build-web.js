// Makes of src/html/ what the package ships in dist/web/: report.js, which turns data into a page of HTML in Node, and the
// studio's page with its script and its style sheet. Their libraries are in these files, so that nobody installs them, and
// the libraries' licences beside them.
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const common = {
  root: join(root, 'src/html'),
  configFile: false,
  logLevel: 'warn',
  base: './',
}
const target = ['chrome125', 'firefox128', 'safari18']

await build({
  ...common,
  // Everything goes into the one file: what a bundle for Node leaves out by default would have to be installed.
  ssr: { noExternal: true },
  build: {
    ssr: 'report/report.tsx',
    outDir: join(root, 'dist/web'),
    emptyOutDir: true,
    license: { fileName: 'licences.md' },
    minify: true,
    target,
  },
})
await build({
  ...common,
  root: join(root, 'src/html/studio'),
  build: {
    outDir: join(root, 'dist/web/studio'),
    emptyOutDir: false,
    license: { fileName: 'licences.md' },
    target,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { entryFileNames: 'studio.js', assetFileNames: 'studio.[ext]' },
    },
  },
})
