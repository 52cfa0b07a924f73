import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { memoryFolder } from './test/helpers/memory-folder.ts'
import { patience } from './test/helpers/patience.ts'

/*
 * Ten projects. The place of a test file says which it belongs to:
 *
 *   walks    test/promises/, and of test/e2e/ a walk through each job (WALKS)
 *   slow     the rest of test/e2e/, test/bench/, and any file named *.slow.test.ts: what starts the built command line, or
 *            takes more than 2 seconds on an idle machine
 *   alone    those of slow and faults that change their process: the other files follow each other in one, as unit's do
 *   faults   test/faults/, and files with `kill-` in their name, with few kills (test/helpers/kills.ts)
 *   many     the same files as faults, and those of others that import test/helpers/kills.ts: many kills, whole tables
 *   night    *.night.test.ts: peaks of memory, a month of an import, many kills, and whether the bench still runs
 *   gate     test/gate/: each file, output and request of whole jobs, held against lists of their sums
 *   ci       test/ci/: what needs a service, an install or minutes
 *   mocked   what calls `vi.mock`: a module that another file has loaded can't be replaced
 *   unit     all the others. Files of one process follow each other there: a process for each took half of the time. So
 *            whatever a test changes outside itself (environment, timers), it puts back
 *
 * `npm test` runs unit, mocked and walks; `.ci/run` then slow, alone, faults and ci (`npm run test:rest`); `npm run test:many` many
 * and night, in the night; `npx vitest run --project unit` runs one.
 * Time limits go through test/helpers/patience.ts.
 */
const JOBS = 'causes,explain,init,posthog-to-posthog,report,run-parts,studio-process,transform,undo'
const WALKS = ['test/promises/**/*.test.ts', `test/e2e/{${JOBS}}.test.ts`]
const FAULTS = ['test/faults/**/*.test.ts', 'test/**/*kill-*.test.ts']
const SLOW = ['test/{e2e,bench}/**/*.test.ts', 'test/**/*.slow.test.ts']
const CI = ['test/ci/**/*.test.ts']
const NIGHT = ['test/**/*.night.test.ts']
const GATE = ['test/gate/gate.test.ts']
const CHDB = 'test/helpers/chdb-folder.ts'
const TESTS = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name}`)
  .filter((path) => path.endsWith('.test.ts'))
const TEXTS = new Map(TESTS.map((path) => [path, readFileSync(path, 'utf8')]))
const testsWith = (words: RegExp) => TESTS.filter((path) => words.test(TEXTS.get(path)!))
const MOCKED = testsWith(/vi\.mock\(/)
const MANY = [...FAULTS, ...testsWith(/\/helpers\/kills\.ts'/)]

/** What changes its whole process: modules, time, folder. Such a file has a process of its own; a stubbed environment is put back. */
const CHANGES =
  /vi\.(mock|spyOn|stubGlobal|useFakeTimers)\(|new MovedClock\(|process\.chdir\(|process\.env\.\w+ = |setFlagsFromString\(/
const ALONE = testsWith(CHANGES).filter((path) =>
  /^test\/(e2e|bench|faults)\/|\.slow\.test\.ts$|kill-[^/]*$/.test(path),
)

/** Where tests with small files have them. What takes gigabytes, or a real disk to find faults, stays on the disk. */
const folder = memoryFolder()
const IN_MEMORY = folder === undefined ? {} : { env: { POSTHAUL_TEST_FOLDER: folder } }

/**
 * Most code of a short test runs too seldom to be worth a compilation, and both cores are busy: threads beside the tests would
 * take from them. Takes an eighth off the processor time. Commands in processes of their own go without: what maps megabytes
 * would take longer.
 */
const COLLECTOR = ['--single-threaded-gc', '--min-semi-space-size=16', '--max-semi-space-size=64']
const SHORT_RUNS = ['--interrupt-budget=1000000', ...COLLECTOR]

/** These projects start processes more than the others do, and wait for them. They are a group of their own, with a worker more. */
const AFTER = {
  maxWorkers: Math.min(5, availableParallelism() + 2),
  sequence: { groupOrder: 1 },
  // Some map megabytes: what takes seconds is compiled all the same, somewhat later.
  execArgv: ['--interrupt-budget=500000', ...COLLECTOR],
}

/** Small files that take long. A fresh clone knows no times, and would run the smallest files last. */
const LONG =
  /\/(?:second-opinion|torn-text|presets\/promises|capitals|mapping\/fixtures|choose-people|repeats|life\.slow|vendor-walks|kill-\w+|run|verify|queries|command)\.test\.ts$/

/** The walks and ci first, and of a project what takes longest: one that begins last would keep the other workers waiting. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const names = sorted.map(({ project }) => project.name)
    // Files of a project stay together: a process runs those of one only.
    const place = ({ project: { name }, moduleId }: TestSpecification) =>
      (/^(walks|ci)$/.test(name) ? -names.length : names.indexOf(name)) + (LONG.test(moduleId) ? 0 : 0.5)
    return sorted.sort((one, other) => place(one) - place(other))
  }
}

function project(
  name: string,
  include: string[],
  exclude: string[],
  { seconds, ...options }: { seconds: number } & NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration {
  const limit = patience(seconds * 1000)
  return {
    extends: true,
    test: {
      name,
      include,
      exclude: [...exclude, '**/node_modules/**'],
      ...options,
      testTimeout: limit,
      hookTimeout: limit,
    },
  }
}

export default defineConfig({
  test: {
    // Many tests wait for processes of their own. More workers than four would not keep a machine honest.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    // A module is transformed once for all projects, and for what is run after these.
    experimental: { fsModuleCache: true },
    setupFiles: ['test/helpers/state-home.ts'],
    sequence: { sequencer: LongFirst },
    // What is waited for comes sooner or later: on a loaded machine a second, the default, is too short.
    expect: { poll: { timeout: patience(60_000), interval: 20 } },
    projects: [
      project(
        'unit',
        ['test/**/*.test.ts'],
        [...MOCKED, ...WALKS, ...SLOW, ...FAULTS, ...NIGHT, ...GATE, ...CI],
        { seconds: 60, isolate: false, execArgv: SHORT_RUNS, ...IN_MEMORY },
      ),
      project('mocked', MOCKED, [...SLOW, ...FAULTS, ...CI], {
        seconds: 60,
        execArgv: SHORT_RUNS,
        ...IN_MEMORY,
      }),
      project('walks', WALKS, [], {
        seconds: 300,
        isolate: false,
        execArgv: SHORT_RUNS,
        ...IN_MEMORY,
      }),
      project('slow', SLOW, [...WALKS, ...FAULTS, ...NIGHT, ...CI, ...ALONE], {
        seconds: 300,
        ...AFTER,
        isolate: false,
        ...IN_MEMORY,
      }),
      project('alone', ALONE, [...WALKS, ...NIGHT, ...CI], { seconds: 300, ...AFTER, ...IN_MEMORY }),
      project('faults', FAULTS, [...WALKS, ...NIGHT, ...CI, ...ALONE], {
        seconds: 300,
        ...AFTER,
        isolate: false,
        ...IN_MEMORY,
      }),
      project('many', MANY, [...NIGHT, ...CI], { seconds: 600, env: { POSTHAUL_TEST_KILLS: 'many' } }),
      project('gate', GATE, [], { seconds: 300 }),
      project('ci', CI, NIGHT, { seconds: 600, ...AFTER, isolate: false, globalSetup: CHDB }),
      project('night', NIGHT, [], { seconds: 600, globalSetup: CHDB }),
    ],
  },
})
