import { basename } from 'node:path'
import { EXIT } from '../../errors.ts'
import type { Preset } from '../../mapping/preset.ts'
import { PROMISES, type PromiseName, TrialBook } from '../../mapping-tests/promises.ts'
import { fixturesFolder, readSuite, vendorFixtures } from '../../mapping-tests/read-suite.ts'
import { PresetTrial } from '../../mapping-tests/try-preset.ts'
import { watchClock } from '../../mapping-tests/watched-preset.ts'
import { namePreset, presetOf } from '../../pipeline/preset-of.ts'
import type { PresetTestCall } from './index.ts'
import type { PresetTestResult } from './result.ts'

export { presetTestResult as schema } from './result.ts'
export { presetTestLines as lines } from './text.ts'

export const exit = ({ kept }: PresetTestResult) => (kept ? EXIT.done : EXIT.rejects)

/** Holds a preset, a name or the path of a file, against its fixtures and the promises of every preset. */
export async function* run({ args: [name = ''], values }: PresetTestCall): AsyncGenerator<PresetTestResult> {
  const book = new TrialBook()
  const preset = await loadWatched(name, book)
  const folder = fixturesFolder(name, values.fixtures)
  const suite = folder === undefined ? vendorFixtures(name) : readSuite(folder)
  const trial = new PresetTrial(preset, book)
  trial.run(suite)
  const { tried, breaches } = book
  yield {
    version: 1,
    command: 'preset test',
    preset: name,
    vendor: preset.vendor,
    fixtures: folder ?? null,
    kept: breaches.length === 0,
    promises: (Object.keys(PROMISES) as PromiseName[]).map((promise) => ({
      promise,
      tried: tried[promise],
      broken: breaches.filter((one) => one.promise === promise).length,
    })),
    breaches,
    rejects: trial.rejects,
    filtered: trial.filtered,
  }
}

/** Loads a preset. A file that looks at the clock while it is loaded keeps what it saw. */
async function loadWatched(name: string, book: TrialBook): Promise<Preset> {
  const named = await namePreset(name)
  const restore = watchClock((what) => {
    // Others look at the clock, too, while a file is loaded.
    if (named.presetSha256 === undefined || !new Error().stack?.includes(basename(name))) return
    const text = `the file itself calls ${what}`
    book.add({ promise: 'clock', case: null, record: null, member: null, text })
  })
  try {
    return await presetOf(named)
  } finally {
    restore()
  }
}
