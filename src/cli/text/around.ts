import type {
  AroundDiffResult,
  AroundItem,
  AroundPullResult,
  AroundPushResult,
  ItemState,
} from '../../jobs/index.ts'
import { COLUMNS, type Column, folded, number, plural, Table, visible } from '../../text/index.ts'

const WORDS: Readonly<Record<ItemState, string>> = {
  lacking: 'lacking',
  differs: 'to change',
  alike: 'alike',
  kept: 'in other words there',
  refused: 'refused',
  waiting: 'waiting for events',
  gone: 'taken away there',
  skipped: 'left out',
  by_hand: 'by hand',
}

/** Rows of a state that are named. */
const MOST = 10

export function pullText({ out, source, kinds, members }: AroundPullResult): string {
  const columns: readonly Column<AroundPullResult['kinds'][number]>[] = [
    { title: '', cell: ({ kind }) => kind, whole: true },
    { title: 'rows', cell: ({ rows }) => (rows === null ? '-' : number(rows)), side: 'right' },
  ]
  return [
    folded(`pulled from ${visible(source)} into ${visible(out)}`, '  ', ''),
    lines(columns, kinds),
    members > 0 ? `  ${plural(members, 'member')} of cohorts\n` : '',
    ...kinds.flatMap(({ kind, untold }) =>
      untold === null ? [] : [folded(visible(`no ${kind}: ${untold}`), '    ', '  ')],
    ),
  ].join('')
}

function lines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const table = new Table(columns, rows, COLUMNS - 2)
  return [table.head(), ...rows.map((row) => table.row(row))].map((line) => `  ${line}\n`).join('')
}

export function diffText({ folder, project, kinds, items }: AroundDiffResult): string {
  return `${folded(`${visible(folder)} against project ${project.id} of ${project.host}`, '  ', '')}${standing(kinds, items)}`
}

export function pushText(result: AroundPushResult): string {
  const { folder, project, kinds, items, made, changed, members, notes, undone } = result
  const where = `project ${project.id} of ${project.host}`
  if (undone) {
    const { removed, restored, kept } = undone
    const done = `undone in ${where}: ${number(removed)} removed, ${number(restored)} put back as they were, ${number(kept)} kept`
    return `${folded(done, '  ', '')}${listed(items)}`
  }
  const sent = members.sent > 0 ? `; ${plural(members.sent, 'member')} of cohorts` : ''
  const missed = members.unmatched ? `, ${number(members.unmatched)} of them nobody's` : ''
  return [
    folded(
      `${visible(folder)} into ${where}: ${number(made)} made, ${number(changed)} changed${sent}${missed}`,
      '  ',
      '',
    ),
    'what was found before:\n',
    standing(kinds, items),
    ...notes.map((note) => folded(visible(note), '    ', '  ')),
  ].join('')
}

function standing(kinds: AroundDiffResult['kinds'], items: readonly AroundItem[]): string {
  const states = (Object.keys(WORDS) as ItemState[]).filter((state) => kinds.some((one) => one[state] > 0))
  const columns: readonly Column<AroundDiffResult['kinds'][number]>[] = [
    { title: '', cell: ({ kind }) => kind, whole: true },
    ...states.map((state) => ({
      title: WORDS[state],
      cell: (row: AroundDiffResult['kinds'][number]) => number(row[state]),
      side: 'right' as const,
    })),
  ]
  return `${lines(columns, kinds)}${listed(items)}`
}

/** What a person may want to look at, by state. */
function listed(items: readonly AroundItem[]): string {
  const told: readonly ItemState[] = ['differs', 'kept', 'refused', 'gone', 'skipped', 'by_hand']
  return told
    .flatMap((state) => {
      const found = items.filter((item) => item.state === state)
      if (found.length === 0) return []
      const some = found.slice(0, MOST).map(({ kind, name, why, fields }) => {
        const what = why ?? fields.join(', ')
        return folded(visible(`${kind}: ${name}${what ? `: ${what}` : ''}`), '      ', '    ')
      })
      const more = found.length > MOST ? [`    and ${number(found.length - MOST)} more\n`] : []
      return [`  ${WORDS[state]}:\n`, ...some, ...more]
    })
    .join('')
}
