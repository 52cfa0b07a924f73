// Makes of src/ what the package ships in dist/: few files in place of a thousand modules, since Node takes longer to find,
// open and link a module than to read it. The command line starts from one, dist/main.js, and so does a worker thread. Names
// stay as they are: a stack can be read, and the `Rejection` that a preset file throws, of another file of the package, is
// known by the name of its class.
import { readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const source = join(root, 'src')
const dist = join(root, 'dist')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/**
 * The commands that a person waits for most often, and what they load beside their work: what only one line of these needs lies
 * apart. What both need, or `status`, which should take no longer than a glance, lies in files of its own. Without this, `status`
 * takes half as much again of the processor, check, import and transform of a few records a fifth.
 */
const OFTEN = {
  transform: /src\/(commands\/transform\/run|transform\/task-runner|presets\/(?!index))/,
  import: /src\/commands\/(import\/(run|deliver)|check\/run)/,
}
const GLANCE = /src\/(commands\/status\/run|delivery\/import-state)/

/** What so many other commands use is loaded by them alone. */
const FEW = 3

/** What declares a command. Help loads that, and nothing of the work. */
const DECLARATION = /src\/commands\/[^/]+\/index\.ts$/

/** What reads the options of every command, and says what is wrong with them. */
const READING = /src\/options\/(resolve|settings|stray-keys)\.ts$/

/**
 * The packages that go into the bundle, since almost all commands need them: the hundred files of zod would take a quarter of a
 * start, and the seven of commander a tenth. p-limit is small.
 */
const BUNDLED = ['commander', 'p-limit', 'yocto-queue', 'zod']

const commander = {
  name: 'commander',
  transform(code, id) {
    if (!id.startsWith(join(root, 'node_modules/commander/'))) return
    return (
      code
        // No subcommand of ours is a program in a file of its own, and Node's module that starts those takes a while to load.
        .replace("require('node:child_process')", '{}')
        .replaceAll(/require\(('node:\w+')\)/g, 'globalThis.process.getBuiltinModule($1)')
    )
  },
}

/**
 * Of undici a connection and its pool, as they lie in the version that package.json names. Its whole loads caches, mocks and fetch
 * too, which takes as long as Node itself to start.
 */
const undici = {
  name: 'undici',
  enforce: 'pre',
  resolveId: (id) => (id === 'undici' ? '\0undici' : undefined),
  load: (id) =>
    id === '\0undici'
      ? `import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
Object.assign(require('undici/lib/dispatcher/dispatcher').prototype, require('undici/lib/api'))
export const buildConnector = require('undici/lib/core/connect')
export const Pool = require('undici/lib/dispatcher/pool')`
      : undefined,
}

/** To look it up takes a start longer than to know it. */
const version = {
  name: 'version',
  enforce: 'pre',
  transform: (code) =>
    code.replace(
      "createRequire(import.meta.url)('../package.json').version",
      JSON.stringify(manifest.version),
    ),
}

/**
 * A built-in module that is imported runs all its getters, which load what nobody asked for: of node:crypto the whole of Web
 * Crypto. One that is only taken does not, and node:crypto, a twentieth of a start, is taken when it is first called.
 */
const builtins = {
  name: 'builtins',
  renderChunk: (code) =>
    code
      .replaceAll(/^import "node:\S+";\n/gm, '')
      .replaceAll(/^import (?:\{(.*)\}|(\w+)) from ("node:\S+");$/gm, (_, names, whole, from) => {
        const taken = `globalThis.process.getBuiltinModule(${from})`
        if (from !== '"node:crypto"')
          return `const ${whole ?? `{${names.replaceAll(' as ', ': ')}}`} = ${taken};`
        const calls = names.split(',').map((name) => {
          const [theirs, ours = theirs] = name.trim().split(' as ')
          return `const ${ours} = (...args) => (crypto$ ??= ${taken}).${theirs}(...args);`
        })
        return ['let crypto$;', ...calls].join('\n')
      }),
}

await bundle(['main', 'index', 'testing'], source, dist)
await bundle(['worker'], join(source, 'transform'), join(dist, 'transform'))

/** Bundles entries, which lie in the folder `from`, into the folder `to`. */
function bundle(entries, from, to) {
  const files = filesOf(join(from, `${entries[0]}.ts`))
  return build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [undici, version, places(from), commander, files, builtins],
    ssr: { noExternal: BUNDLED },
    build: {
      ssr: true,
      outDir: to,
      // The worker has no packages but those of the program.
      license: from === source && { fileName: 'licences.md' },
      emptyOutDir: false,
      minify: false,
      target: 'es2023',
      rolldownOptions: {
        input: Object.fromEntries(entries.map((name) => [name, join(from, `${name}.ts`)])),
        // The first entry exports more than its source: what other files use of the modules in it.
        preserveEntrySignatures: 'allow-extension',
        // What is imported lazily may be in a file that is there anyway.
        checks: { ineffectiveDynamicImport: false },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          minifyInternalExports: false,
          comments: { legal: true, jsdoc: false, annotation: false },
          // V8 compiles the value of a `const` in, and reads that of a `var` each time.
          topLevelVar: false,
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ name: files.nameOf, debugName: 'files' }],
          },
        },
      },
    },
  })
}

/** What modules have in common that lie in one file. Those that need more packages than zod are small, and few already. */
function kindOf(users, packages) {
  const isApart = packages.every((name) => name === 'zod')
  const isDeclared =
    packages.length === 0 && [...users].some((user) => DECLARATION.test(user) || READING.test(user))
  const often = Object.keys(OFTEN).filter((name) => [...users].some((user) => OFTEN[name].test(user)))
  const isBase = often.length > 1 || [...users].some((user) => GLANCE.test(user))
  const kind = isBase ? 'base' : often[0] ? `only-${often[0]}` : users.size <= FEW ? 'few' : 'shared'
  return [
    isDeclared ? 'help' : isApart ? kind : 'shared',
    ...packages.map((name) => name.replace('/', '-')),
  ].join('-')
}

/** The package that is loaded with a module: another one, or zod, which what has no schemas is spared. */
function packageOf(id) {
  if (id.startsWith(join(root, 'node_modules/zod/'))) return ['zod']
  return id === '\0undici' ? ['undici'] : /^(@|[a-z])[^:]*$/.test(id) ? [id] : []
}

/** A module that asks where it lies is told the place of its source, as seen from the bundle: dist/ is laid out like src/. */
function places(folder) {
  return {
    name: 'places',
    transform(code, id) {
      if (!id.startsWith(source)) return
      const place = JSON.stringify(relative(folder, id))
      return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
    },
  }
}

/**
 * Says which file a module goes into:
 * - what the first entry imports: into its own;
 * - the presets: into one of theirs;
 * - what several commands, or other modules that are imported lazily, import: into one for all modules that need the same
 *   packages, since a file that is loaded loads the packages of all its modules, and evaluates them; what few of them import,
 *   or which of the commands that run most often, lies apart, so that it costs the others nothing;
 * - what the declarations of several commands import: into one for help;
 * - what one of them imports: into its own, which the bundler makes.
 * A module never needs fewer packages than one that it imports, and never has more users, so no two files import each other.
 */
function filesOf(first) {
  const names = new Map()
  return {
    name: 'files',
    nameOf: (id) => names.get(id),
    buildEnd() {
      const infos = [...this.getModuleIds()].map((id) => this.getModuleInfo(id))
      const needs = new Map()
      const needsOf = (id) => {
        if (!needs.has(id)) {
          needs.set(id, new Set([id]))
          for (const next of this.getModuleInfo(id)?.importedIds ?? [])
            for (const one of needsOf(next)) needs.get(id).add(one)
        }
        return needs.get(id)
      }
      const users = new Map(infos.map(({ id }) => [id, new Set()]))
      for (const { id: user } of infos.filter((info) => info.isEntry || info.dynamicImporters.length > 0))
        for (const id of needsOf(user)) users.get(id)?.add(user)
      const own = basename(first, '.ts')
      const prefix = own === 'main' ? '' : `${own}-`
      for (const [id, by] of users) {
        const packages = [...new Set([...needsOf(id)].flatMap(packageOf))].sort()
        if (by.has(first)) names.set(id, own)
        else if ([...by].every((user) => /presets.(?!index)/.test(user))) names.set(id, `${prefix}presets`)
        else if (by.size > 1 || READING.test(id)) names.set(id, `${prefix}${kindOf(by, packages)}`)
      }
    },
  }
}
