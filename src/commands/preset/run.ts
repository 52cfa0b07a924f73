import { basename } from 'node:path'
import { EXIT } from '../../errors.ts'
import type { Preset } from '../../mapping/preset.ts'
import { PROMISES, type PromiseName, TrialBook } from '../../mapping-tests/promises.ts'
import { fixturesFolder, readSuite, vendorFixtures } from '../../mapping-tests/read-suite.ts'
import { PresetTrial } from '../../mapping-tests/try-preset.ts'
import { watchClock } from '../../mapping-tests/watched-preset.ts'
import { namePreset, presetOf } from '../../pipeline/preset-of.ts'
import { fold } from '../../text/fold.ts'
import { cutTo, visible } from '../../text/visible.ts'
import { mostFirst, number, plural } from '../../text/words.ts'
import type { PresetTestCall } from './index.ts'
import type { PresetTestResult } from './result.ts'

export { presetTestResult as schema } from './result.ts'

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

/** Of one promise, this many places where it is broken are shown. */
const MOST = 5
const TITLE_WIDTH = 52
/** A line of an event may have megabytes. */
const MOST_CHARACTERS = 400

/** The table of promises; under each that is broken, where, and what to do. */
export function lines(result: PresetTestResult): string[] {
  const { preset, promises, breaches, rejects, filtered } = result
  const rows = promises.flatMap(({ promise, tried, broken }) => {
    const { title, remedy } = PROMISES[promise]
    const state = broken > 0 ? `${number(broken)} broken` : tried > 0 ? 'kept' : 'not tried'
    const row = `  ${title.padEnd(TITLE_WIDTH)}${number(tried).padStart(8)}  ${state}`
    if (broken === 0) return [row]
    const found = breaches.filter((one) => one.promise === promise)
    return [
      row,
      ...found.slice(0, MOST).flatMap((one) => fold(placed(one), '      ', '    ')),
      ...(found.length > MOST ? [`    and ${number(found.length - MOST)} more: --json has all of them`] : []),
      ...fold(remedy, '      ', '    > '),
    ]
  })
  const broken = promises.filter((one) => one.broken > 0).length
  const verdict = broken === 0 ? 'every promise is kept' : `${plural(broken, 'promise')} broken`
  return [
    `preset test: ${visible(preset)}: ${verdict}`,
    `  ${'promise'.padEnd(TITLE_WIDTH)}${'tried'.padStart(8)}`,
    ...rows,
    ...reasons('rejected', rejects),
    ...reasons('filtered', filtered),
  ]
}

function placed({ case: name, record, text }: PresetTestResult['breaches'][number]): string {
  const place = [name, record !== null && `record ${record}`].filter(Boolean).join(', ')
  return visible(cutTo(place === '' ? text : `${place}: ${text}`, MOST_CHARACTERS))
}

function reasons(word: string, counts: Readonly<Record<string, number>>): string[] {
  const words = mostFirst(Object.entries(counts)).map(([reason, count]) => `${reason} ${number(count)}`)
  return words.length === 0 ? [] : fold(words.join(', '), ' '.repeat(12), `  ${word.padEnd(10)}`)
}
