import { Name } from './parts.tsx'

/** How many series of a chart have colours of their own. */
export const SERIES_COLOURS = 8

export interface SeriesLook {
  /** `series-0` to `series-7`, or `series-rest` for all that have no colour of their own. */
  readonly colour: string
  readonly pattern: Pattern
}

type Pattern = 'plain' | 'rising' | 'dots' | 'falling' | 'lines'
const PATTERNS: readonly Pattern[] = [
  'plain',
  'rising',
  'plain',
  'dots',
  'plain',
  'falling',
  'plain',
  'lines',
]

export function lookOf(index: number): SeriesLook {
  const colour = index < SERIES_COLOURS ? `series-${index}` : 'series-rest'
  return { colour, pattern: PATTERNS[index] ?? 'plain' }
}

/** The paint of a series: its colour, or its pattern, which `SeriesPatterns` of the same chart defines. */
export function paintOf(chart: string, { colour, pattern }: SeriesLook): { class: string; fill?: string } {
  return pattern === 'plain'
    ? { class: colour }
    : { class: `${colour} patterned`, fill: `url(#${chart}-${colour})` }
}

/** Two neighbours in a stack differ in pattern too: every second one has lines or dots. */
export function SeriesPatterns({ chart, looks }: { chart: string; looks: readonly SeriesLook[] }) {
  return (
    <defs>
      {looks
        .filter(({ pattern }) => pattern !== 'plain')
        .map(({ colour, pattern }) => (
          <pattern key={colour} id={`${chart}-${colour}`} width="6" height="6" patternUnits="userSpaceOnUse">
            <rect class={colour} width="6" height="6" />
            {pattern === 'rising' && <path class="pattern-line" d="M-1 1L1 -1M0 6L6 0M5 7L7 5" />}
            {pattern === 'falling' && <path class="pattern-line" d="M-1 5L1 7M0 0L6 6M5 -1L7 1" />}
            {pattern === 'lines' && <path class="pattern-line" d="M0 3H6" />}
            {pattern === 'dots' && <circle class="pattern-dot" cx="3" cy="3" r="1.3" />}
          </pattern>
        ))}
    </defs>
  )
}

/** Which paint is whose, in the order of the stack. */
export function Legend(props: { chart: string; series: readonly { name: string; look: SeriesLook }[] }) {
  return (
    <ul class="legend">
      {props.series.map(({ name, look }) => (
        <li key={look.colour}>
          <svg width="14" height="14" aria-hidden="true">
            <rect width="14" height="14" rx="2" {...paintOf(props.chart, look)} />
          </svg>
          <Name text={name} most={40} />
        </li>
      ))}
    </ul>
  )
}
