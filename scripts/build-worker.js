// Makes of src/transform/worker.ts and all that it imports one file, in place of the compiler's dist/transform/worker.js.
// Node takes longer to find, open and link 150 files than to read them, and each worker does it again: from one file a
// transform of 20,000 records takes a tenth less processor time. What only some transforms need (a preset, the reader of a
// format, S3) stays in files of its own, `worker-*.js`. Names stay as they are: a stack can be read, and the `Rejection`
// that a preset file throws, of another file of the package, is known by the name of its class.
import { dirname, join, relative } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const entry = join(root, 'src/transform/worker.ts')

await build({
  root,
  configFile: false,
  logLevel: 'warn',
  plugins: [
    {
      name: 'places',
      // A module that asks where it lies is told the place of its own compiled file, not that of the bundle.
      transform(code, id) {
        const place = JSON.stringify(relative(dirname(entry), id))
        return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
      },
    },
  ],
  build: {
    ssr: entry,
    outDir: join(root, 'dist/transform'),
    emptyOutDir: false,
    minify: false,
    target: 'es2023',
    rolldownOptions: {
      output: {
        entryFileNames: 'worker.js',
        chunkFileNames: 'worker-[name].js',
        // V8 compiles the value of a `const` in, and reads that of a `var` each time.
        topLevelVar: false,
      },
    },
  },
})
