import { PROMISES } from '../../mapping-tests/promises.ts'
import { fold } from '../../text/fold.ts'
import { cutTo, visible } from '../../text/visible.ts'
import { mostFirst, number, plural } from '../../text/words.ts'
import type { PresetTestResult } from './result.ts'

/** Of one promise, this many places where it is broken are shown. */
const MOST = 5
const TITLE_WIDTH = 52
/** A line of an event may have megabytes. */
const MOST_CHARACTERS = 400

/** The table of promises; under each that is broken, where, and what to do. */
export function presetTestLines(result: PresetTestResult): string[] {
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
