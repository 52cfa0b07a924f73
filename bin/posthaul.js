#!/usr/bin/env node
// Any Node from version 10 on can read this file, as a module or as a script. So there is no `import … from`: those are
// loaded first, and what they load fails on an old Node before a line is run.
const [major, minor] = process.version.slice(1).split('.').map(Number)
if (major < 20 || (major === 20 && minor < 18)) {
  process.stderr.write(`posthaul needs Node 20.18 or newer, and this is Node ${process.version.slice(1)}
  install a newer Node (https://nodejs.org), then run the same command again\n`)
  process.exitCode = 2
} else {
  keepCompiled()
  import('../dist/main.js')
    .then(({ main }) => main())
    .catch((error) => {
      // Node opens the files of a command all at once, before a line of it is run.
      if (error.code !== 'EMFILE' && error.code !== 'ENFILE') throw error
      process.stderr.write(`posthaul: this process may open too few files at a time
  raise the limit, then run the same command again: ulimit -n 1024\n`)
      process.exitCode = 2
    })
}

/**
 * Node 22.8 and newer can keep what they compiled: a command that works starts with a fifth less of the processor. The folder is made
 * here, since Node tries for ever where none can be made, as below /proc.
 */
function keepCompiled() {
  const { enableCompileCache } = process.getBuiltinModule('node:module')
  const cache = process.env.XDG_CACHE_HOME || `${process.env.HOME}/.cache`
  if (!enableCompileCache) return
  const { mkdirSync, statSync } = process.getBuiltinModule('node:fs')
  try {
    mkdirSync(`${cache}/posthaul`, { mode: 0o700 })
  } catch {
    // It is there, or there is no place for it.
  }
  try {
    if (statSync(`${cache}/posthaul`).isDirectory()) enableCompileCache(`${cache}/posthaul`)
  } catch {
    // Without it every start compiles anew.
  }
}
