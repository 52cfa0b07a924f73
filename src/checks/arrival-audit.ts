import { Fingerprint } from '../record/fingerprint.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import { sum } from '../text/lists.ts'
import { type CellDifference, compareWindow, type DayComparison, type DoubledCell } from './compare.ts'
import { type AskedWindow, expectedDays, expectedFrames, windowsOf } from './expected.ts'
import { withoutShared } from './gaps.ts'
import type { ServiceEvents } from './service-view.ts'
import type { VerifyInput } from './verify-input.ts'

/** The first pause before the service is asked again; each is twice as long as the one before, up to the longest. */
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 120_000

/** Differences, and cells that are there twice, that are told apart by name. Those of later days are one a day. */
const MOST_DIFFERENCES = 10_000

interface ArrivalAuditOptions {
  readonly inputs: readonly VerifyInput[]
  readonly service: ServiceEvents
  readonly progress: (events: number) => void
  /** For tests: how many differences are told apart by name. */
  readonly mostDifferences?: number
}

interface WaitOptions {
  /** How long to go on asking while events are missing, in milliseconds. */
  readonly forMs: number
  readonly now: () => number
  /** Throws when the run is interrupted. */
  readonly sleep: (ms: number) => Promise<void>
  readonly note: (missing: number, days: number, pauseMs: number) => void
}

/** The days of all inputs, compared with the service by counts and fingerprints. */
export class ArrivalAudit {
  readonly #options: ArrivalAuditOptions
  readonly #days = new Map<string, DayComparison>()
  readonly #mostDifferences: number
  #different = 0
  #twice = 0
  #keepsApart: Promise<boolean> | undefined
  #unreadable: boolean | undefined

  constructor(options: ArrivalAuditOptions) {
    this.#options = options
    this.#mostDifferences = options.mostDifferences ?? MOST_DIFFERENCES
  }

  async run(): Promise<void> {
    await this.#compare(this.#options.progress)
  }

  /** Asks again for the days that lack events, until they are there or the time is up. */
  async wait({ forMs, now, sleep, note }: WaitOptions): Promise<void> {
    const until = now() + forMs
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const lacking = new Set(this.differences.filter(isLacking).map(({ day }) => day))
      const ms = Math.min(pause, until - now())
      if (lacking.size === 0 || ms <= 0) return
      note(this.missing, lacking.size, ms)
      await sleep(ms)
      await this.#compare(() => undefined, lacking)
    }
  }

  get totals() {
    const days = [...this.#days.values()]
    return {
      /** Events of the inputs; one that several have counts once. */
      here: sum(days, ({ here }) => here),
      /** Events of them, or of their names, in the service. */
      there: sum(days, ({ there }) => there),
      /** Events of other names in the service on these days. */
      others: sum(days, ({ others }) => others),
      /** Events that are there, with times that agree to the millisecond and not below. */
      rounded: sum(days, ({ rounded }) => rounded),
      /** Events here of a name that the service keeps in another table: they are compared with nothing. */
      apart: sum(days, ({ apart }) => apart?.here.count ?? 0),
    }
  }

  /** The service was found to keep all properties of some events as one text; not asked while nothing is missing. */
  get unreadable(): boolean {
    return this.#unreadable === true
  }

  /** Oldest first. */
  get differences(): readonly CellDifference[] {
    return this.#inOrder().flatMap(({ differences }) => differences)
  }

  /** The cells with events that are there more than once, oldest first. */
  get doubled(): readonly DoubledCell[] {
    return this.#inOrder().flatMap(({ doubled }) => doubled)
  }

  /** The events that are certainly missing. A cell can lack more, if it has others in their place. */
  get missing(): number {
    return sum(this.differences, ({ here, there }) => Math.max(0, here.count - there.count))
  }

  /** `wanted`: undefined for all days. */
  async #compare(progress: (events: number) => void, wanted?: ReadonlySet<string>): Promise<void> {
    const all = expectedDays(this.#options.inputs)
    async function* days() {
      for await (const day of all) if (wanted?.has(day.day) ?? true) yield day
    }
    for await (const window of windowsOf(days())) {
      for (const day of await this.#daysOf(window)) {
        this.#keep(day)
        progress(day.here)
      }
    }
  }

  /** What seems to be missing may be there with all its properties in one text: then the window is asked for once more. */
  async #daysOf(window: AskedWindow): Promise<DayComparison[]> {
    const days = await this.#compareOnce(window, false)
    const differs = days.some(({ differences }) => differences.some(({ here }) => here.count > 0))
    if (!differs || window.importIds === null) return days
    const all = expectedFrames(this.#options.inputs)
    this.#unreadable ??= await this.#options.service.hasUnreadable(all[0]!.day, all.at(-1)!.day)
    if (!this.#unreadable) return days
    return this.#compareOnce(window, true)
  }

  async #compareOnce(window: AskedWindow, unreadable: boolean): Promise<DayComparison[]> {
    const { inputs, service } = this.#options
    const compared = await compareWindow(window, service.cells(window, unreadable))
    const judged = await Promise.all(compared.map((day) => this.#judgeApart(day)))
    return withoutShared(inputs, judged)
  }

  /** A service that has such events among the others lacks those of this day. */
  async #judgeApart(day: DayComparison): Promise<DayComparison> {
    const { apart } = day
    if (!apart) return day
    this.#keepsApart ??= this.#options.service.hasName(APART_EVENT).then((has) => !has)
    if (await this.#keepsApart) return day
    const differences = [...day.differences, apart]
    return { ...day, here: day.here + apart.here.count, differences, apart: undefined }
  }

  /** Of an import that has not arrived, every cell differs: once there are too many, a day is one difference. */
  #keep(day: DayComparison): void {
    const before = this.#days.get(day.day)
    this.#different -= before?.differences.length ?? 0
    this.#twice -= before?.doubled.length ?? 0
    const kept = {
      ...day,
      differences:
        this.#different + day.differences.length > this.#mostDifferences ? inOne(day) : day.differences,
      doubled: this.#twice + day.doubled.length > this.#mostDifferences ? twiceInOne(day) : day.doubled,
    }
    this.#different += kept.differences.length
    this.#twice += kept.doubled.length
    this.#days.set(day.day, kept)
  }

  #inOrder(): readonly DayComparison[] {
    return [...this.#days.values()].sort((a, b) => (a.day < b.day ? -1 : 1))
  }
}

/** All differences of a day in one, of all its events. From here on only their numbers are asked for. */
function inOne({ day, here, there, differences }: DayComparison): readonly CellDifference[] {
  if (differences.length < 2) return differences
  const of = (count: number) => Object.assign(new Fingerprint(), { count })
  const inputs = Math.max(...differences.map((one) => one.inputs))
  return [{ day, event: null, here: of(here), there: of(there), moved: false, inputs }]
}

function twiceInOne({ day, doubled }: DayComparison): readonly DoubledCell[] {
  const [first] = doubled
  return first ? [{ ...first, day, event: null, more: sum(doubled, ({ more }) => more) }] : []
}

function isLacking({ here, there, moved }: CellDifference): boolean {
  return !moved && here.count > 0 && here.count >= there.count
}
