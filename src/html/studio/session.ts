import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Answer, Edit, MappingText, StudioState } from '../../studio/studio-data.ts'
import { plural } from '../../text/words.ts'
import { ask, isAborted, RefusedRequest, UNREACHABLE } from './api.ts'

/**
 * What the page shows at one moment: `mapping` as it is on disk, so far as the page knows; `model` of the latest text without a
 * fault, `setup` of the latest that is a map, `fault` of the text being edited.
 */
export interface Moment extends StudioState {
  /** The text being edited. */
  readonly yaml: string
  /** What went wrong with the last thing that was asked for. */
  readonly problem: { readonly title: string; readonly hint: string | null } | null
  /** The file as somebody else left it, when a save found it changed. */
  readonly conflict: MappingText | null
  readonly previewing: boolean
  readonly saving: boolean
  /** The last news, which screen readers read out. */
  readonly said: string
  /** The text before each change, and what the change did. */
  readonly past: ReadonlyArray<{ readonly yaml: string; readonly what: string }>
}

const TYPING_MS = 250
const TYPED = 'Typed in the mapping'

/** The work on one mapping: its text, what it makes of the sample, and whether it is saved. */
export class PageSession {
  #moment: Moment
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: AbortController | undefined
  /** Ends with the changes that are being made. */
  #changes: Promise<unknown> = Promise.resolve()
  readonly #show: (moment: Moment) => void

  constructor(state: StudioState, show: (moment: Moment) => void) {
    this.#show = show
    this.#moment = {
      ...{ ...state, yaml: state.mapping.yaml },
      ...{ problem: null, conflict: null, previewing: false, saving: false },
      ...{ said: '', past: [] },
    }
  }

  get moment(): Moment {
    return this.#moment
  }

  /** Takes the text as typed; it is previewed once the typing rests. */
  type(yaml: string): void {
    const { past, yaml: before } = this.#moment
    // All letters typed in a row are one change.
    const isGoingOn = past.at(-1)?.what === TYPED
    this.#set({ yaml, past: isGoingOn ? past : [...past, { yaml: before, what: TYPED }] })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.preview(), TYPING_MS)
  }

  /** Asks what the text makes of the sample. `before`: what was done, which is said with the news. */
  async preview(before = ''): Promise<void> {
    clearTimeout(this.#timer)
    this.#running?.abort()
    const running = new AbortController()
    this.#running = running
    this.#set({ previewing: true })
    try {
      const answer = await ask('preview', { yaml: this.#moment.yaml }, running.signal)
      if (running.signal.aborted) return
      const { problem } = this.#moment
      // It answers again.
      if (problem?.title === UNREACHABLE) this.#set({ problem: null })
      this.#set({ previewing: false, fault: answer.fault, said: before + newsOf(answer) })
      if (answer.model !== null) this.#set({ model: answer.model })
      if (answer.setup !== null) this.#set({ setup: answer.setup })
    } catch (error) {
      if (isAborted(error)) return
      this.#set({ previewing: false })
      this.#fail('The preview could not be made', error)
    }
  }

  /** Makes changes in the text. `what` says it in the past tense: `Dropped “heartbeat”`. `settles`: a question that they answer. */
  async edit(edits: Edit | readonly Edit[], what: string, settles?: string): Promise<void> {
    const change = this.#change([edits].flat(), what, settles)
    this.#changes = Promise.all([this.#changes, change])
    if (await change) await this.preview(`${what}. `)
  }

  async #change(edits: readonly Edit[], what: string, settles?: string): Promise<boolean> {
    this.#set({ problem: null })
    try {
      for (;;) {
        const { yaml, past } = this.#moment
        const answer = await ask('edit', { yaml, edits, settles })
        // Letters typed meanwhile are not lost: the change is made again, in the text with them.
        if (yaml !== this.#moment.yaml) continue
        this.#set({ yaml: answer.yaml, past: [...past, { yaml, what }] })
        return true
      }
    } catch (error) {
      this.#fail('The mapping was not changed', error)
      return false
    }
  }

  async undo(): Promise<void> {
    await this.#changes
    const last = this.#moment.past.at(-1)
    if (last === undefined) return
    this.#set({ yaml: last.yaml, past: this.#moment.past.slice(0, -1), problem: null })
    await this.preview(`Undone: ${last.what}. `)
  }

  /** Saves the text, with the changes that are being made. `over`: the file as somebody else has changed it, which is replaced. */
  async save(over?: MappingText): Promise<void> {
    if (this.#moment.saving) return
    this.#set({ saving: true, problem: null })
    await this.#changes
    const { yaml, mapping: known, problem } = this.#moment
    const isNeeded = over !== undefined || isUnsaved(this.#moment)
    if (problem !== null || !isNeeded) return this.#set({ saving: false })
    try {
      const mapping = await ask('save', { yaml, digest: (over ?? known).digest })
      const untouched = this.#moment.yaml === yaml
      this.#set({ saving: false, conflict: null, mapping, said: `Saved to ${mapping.path}.` })
      if (untouched) this.#set({ yaml: mapping.yaml })
    } catch (error) {
      this.#set({ saving: false })
      const { mapping, fault } = error instanceof RefusedRequest ? error.refusal : {}
      if (mapping !== undefined) {
        this.#set({ conflict: mapping, said: 'Not saved: the file was changed by somebody else.' })
        return
      }
      if (fault !== undefined) this.#set({ fault })
      this.#fail('The mapping was not saved', error)
    }
  }

  dismiss(): void {
    this.#set({ problem: null })
  }

  #fail(title: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    if (message === UNREACHABLE) {
      const hint =
        'It was ended, or this machine slept. Your text is still in this page: copy it from Mapping before you close the page. Started again, posthaul studio prints a new address.'
      this.#set({ problem: { title: UNREACHABLE, hint }, said: UNREACHABLE })
      return
    }
    const hint = error instanceof RefusedRequest ? error.refusal.hint : null
    this.#set({ problem: { title: `${title}: ${message}`, hint }, said: `${title}: ${message}` })
  }

  #set(change: Partial<Moment>): void {
    this.#moment = { ...this.#moment, ...change }
    this.#show(this.#moment)
  }
}

/** True if the text being edited is not the one on disk. */
export function isUnsaved({ yaml, mapping }: Moment): boolean {
  return !mapping.exists || yaml !== mapping.yaml
}

function newsOf({ model, fault }: Answer<'preview'>): string {
  if (fault !== null) {
    const where = fault.line === null ? '' : ` in line ${fault.line}`
    return `The mapping has a fault${where}: ${fault.message}`
  }
  if (model === null) return ''
  const { events, rejected, filtered } = model.counts
  return `Preview updated: ${plural(events, 'event')}, ${plural(rejected, 'reject')}, ${plural(filtered, 'record')} left out.`
}

/** What all of the page is about. */
export const ShownMoment = createContext<{ readonly moment: Moment; readonly session: PageSession }>(
  undefined!,
)

/** The moment that is shown, and the session that changes it. */
export const useShown = () => useContext(ShownMoment)

/** What every view is given: what the address says besides its name. */
export interface ViewProps {
  readonly params: URLSearchParams
}
