import type { ComponentChildren } from 'preact'
import type { ProofCell, ProofState } from '../../commands/report/report-data.ts'
import { number } from '../../text/words.ts'
import { ChartFrame } from './chart-frame.tsx'
import { binText, type DayBin, dayBins } from './day-bins.ts'
import { Name, shortName } from './parts.tsx'

interface Square {
  state: ProofState
  here: number
  there: number
}

/** What each state looks like and what it is called, the worst first. */
const STATES: readonly (readonly [state: ProofState, mark: string, words: string])[] = [
  ['fewer', '−', 'events missing in PostHog'],
  ['other', '≠', 'as many, but other events'],
  ['more', '+', 'more in PostHog than here'],
  ['unknown', '?', 'not asked'],
  ['same', '✓', 'the same events in both'],
]
const MOST_COLUMNS = 62

/** Day by name, a square each; with many days a square is a week, a month …, in the worst state of its days. */
export function HeatMap(props: {
  title: ComponentChildren
  meaning?: ComponentChildren
  cells: readonly ProofCell[]
  /** The names to show, in order; those of the cells otherwise. */
  names?: readonly (string | null)[]
  /** What the other names are called: `12 other names`. */
  others?: string
}) {
  const { size, bins, indexOf } = dayBins(
    props.cells.map(({ day }) => day),
    MOST_COLUMNS,
  )
  const { others = 'all other names' } = props
  const names = props.names ?? [...new Set(props.cells.map(({ name }) => name))]
  const rows = new Map(names.map((name) => [name, new Map<number, Square>()]))
  for (const cell of props.cells) {
    const at = indexOf(cell.day)
    if (at !== undefined) addTo(rows.get(cell.name), at, cell)
  }
  return (
    <ChartFrame
      title={props.title}
      meaning={
        <>
          {props.meaning} Each square is a {size} (UTC).
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <div class="scroll" tabIndex={0}>
        <table class="heat">
          <caption class="unseen">{props.title}</caption>
          <thead>
            <tr>
              <th scope="col">name</th>
              {headings(bins).map(({ from, span }) =>
                span < 5 ? (
                  <td key={from} colSpan={span} />
                ) : (
                  <th key={from} scope="colgroup" colSpan={span}>
                    {from}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name ?? '/'}>
                <th scope="row">{name === null ? others : <Name text={name} most={40} />}</th>
                {bins.map((bin, at) => (
                  <SquareCell
                    key={bin.from}
                    name={name ?? others}
                    bin={bin}
                    square={rows.get(name)?.get(at)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul class="legend">
        {STATES.map(([state, mark, words]) => (
          <li key={state}>
            <span class={`heat-key heat-${state}`} aria-hidden="true">
              {mark}
            </span>
            {words}
          </li>
        ))}
      </ul>
    </ChartFrame>
  )
}

function SquareCell({ name, bin, square }: { name: string; bin: DayBin; square: Square | undefined }) {
  if (square === undefined) return <td class="heat-none" />
  const [, mark, words] = STATES[rank(square.state)]!
  const there = square.state === 'unknown' ? '' : `, ${number(square.there)} in PostHog`
  return (
    <td
      class={`heat-${square.state}`}
      title={`${binText(bin)}, ${shortName(name, 24)}: ${words} (${number(square.here)} here${there})`}
    >
      {mark}
    </td>
  )
}

function addTo(
  row: Map<number, Square> | undefined,
  at: number,
  { state, here, there = 0 }: ProofCell,
): void {
  if (row === undefined) return
  const square = row.get(at) ?? { state, here: 0, there: 0 }
  square.here += here
  square.there += there
  if (rank(state) < rank(square.state)) square.state = state
  row.set(at, square)
}

function rank(state: ProofState): number {
  return STATES.findIndex(([one]) => one === state)
}

/** A date over every seven columns, since it is wider than one; none over what is left at the end. */
function headings(bins: readonly DayBin[]): { from: string; span: number }[] {
  const each = 7
  return Array.from({ length: Math.ceil(bins.length / each) }, (_, at) => ({
    from: bins[at * each]!.from,
    span: Math.min(each, bins.length - at * each),
  }))
}
