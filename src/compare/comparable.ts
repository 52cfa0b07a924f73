import { type Chart, type ChartCell, type ChartSpan, MOST_VALUES, periodsOf } from '../charts/index.ts'
import { compareTexts } from '../text/index.ts'

/** The cells of one answer by their places. A cell that isn't there is 0. */
export class CellSheet {
  readonly #cells: ReadonlyMap<string, ChartCell>

  constructor(cells: readonly ChartCell[]) {
    this.#cells = new Map(cells.map((cell) => [placeOf(cell), cell]))
  }

  value(at: string, by: string | null): number {
    return this.#cells.get(placeOf({ at, by }))?.value ?? 0
  }

  /** Both, added up. */
  plus(other: CellSheet): CellSheet {
    return new CellSheet(
      CellSheet.places([this, other]).map(({ at, by }) => {
        return { at, by, value: this.value(at, by) + other.value(at, by) }
      }),
    )
  }

  /** The places that any of the sheets has, sorted. */
  static places(sheets: readonly CellSheet[]): Pick<ChartCell, 'at' | 'by'>[] {
    const all = new Map(sheets.flatMap((sheet) => [...sheet.#cells]))
    return [...all].sort(([a], [b]) => compareTexts(a, b)).map(([, { at, by }]) => ({ at, by }))
  }
}

function placeOf({ at, by }: Pick<ChartCell, 'at' | 'by'>): string {
  return JSON.stringify([at, by])
}

/**
 * What of a chart all sides can be held against each other in: whole periods of the span, and the values of a property that
 * all of them told. A side tells its own most frequent values, so one that told fewer has told all it has.
 */
export class Comparable {
  readonly #periods: ReadonlySet<string> | undefined
  #values: ReadonlySet<string> | undefined

  /** `values`: of the property that the chart is divided by, those of the dataset. */
  constructor({ query }: Chart, span: ChartSpan, values: readonly string[] | undefined) {
    this.#values = values && new Set(values)
    if (query.kind === 'series' && query.interval !== 'whole')
      this.#periods = new Set(periodsOf(span, query.interval).map(({ first }) => first))
    if (query.kind === 'retention') {
      const firsts = periodsOf(span, query.period).map(({ first }) => first)
      this.#periods = new Set(
        firsts.flatMap((first, place) => {
          // What is after the last period is not there yet.
          const after = Math.min(query.periods, firsts.length - place)
          return Array.from({ length: after }, (_, periods) => `${first}+${periods}`)
        }),
      )
    }
  }

  /** Leaves out the values that a side, which tells its most frequent ones only, did not tell. */
  limitTo(answers: ReadonlyArray<readonly ChartCell[] | undefined>): void {
    for (const cells of answers) {
      const told = new Set(cells?.map(({ by }) => by ?? ''))
      if (this.#values && told.size >= MOST_VALUES)
        this.#values = new Set([...this.#values].filter((value) => told.has(value)))
    }
  }

  /** The cells of an answer that can be compared. */
  sheet(cells: readonly ChartCell[]): CellSheet {
    return new CellSheet(
      cells.filter(
        ({ at, by }) =>
          (this.#periods === undefined || this.#periods.has(at)) &&
          (this.#values === undefined || this.#values.has(by ?? '')),
      ),
    )
  }
}
