// node scripts/test-twice.js <npm script of tests> [options of npm]: runs it, then the files that were red once more, and says
// at the end which tests were red by chance, which twice, and by which seeds. Either way it fails.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

const [script, ...options] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'posthaul-twice-'))
const here = realpathSync(process.cwd())
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const first = run('first', options, [])
if (first.code === 0) process.exit(0)
// Without a report it was not the tests that failed.
if (first.red.size > 0) {
  const files = new Set(first.red.values())
  console.log(`\n${first.red.size} tests were red: running ${files.size} files once more`)
  const second = run('second', ['--ignore-scripts'], [...files])
  console.log('\nThe tests that were red:')
  for (const [name, file] of first.red) {
    console.log(`  ${second.red.has(name) ? 'red twice    ' : 'red by chance'}  ${name}`)
    for (const seed of first.seeds.get(file) ?? []) console.log(`                 ${seed}`)
  }
}
process.exit(1)

/** Runs the script: how it ended, the files of red tests by their names, and the seeds of each file. */
function run(name, before, more) {
  const [report, seeds] = [join(folder, `${name}.json`), join(folder, `${name}.seeds`)]
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync('npm', ['run', script, ...before, '--', ...more, ...reporters], {
    stdio: 'inherit',
    env: { ...process.env, POSTHAUL_SEEDS_FILE: seeds },
  })
  return { code: status ?? 1, red: redIn(textIn(report)), seeds: seedsIn(textIn(seeds)) }
}

function redIn(report) {
  const red = new Map()
  for (const { name, status, assertionResults } of report === '' ? [] : JSON.parse(report).testResults) {
    const file = relative(here, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    for (const { fullName } of failed) red.set(`${file}: ${fullName}`, file)
    if (status === 'failed' && failed.length === 0) red.set(`${file}: the file itself`, file)
  }
  return red
}

/** Lines of a file and a seed, as test/helpers/random.ts writes them. */
function seedsIn(text) {
  const seeds = new Map()
  for (const line of text.split('\n').filter(Boolean)) {
    const [path, seed] = line.split('\t')
    const file = relative(here, path)
    seeds.set(file, (seeds.get(file) ?? new Set()).add(seed))
  }
  return seeds
}

function textIn(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
