import { PosthaulError } from '../../errors.ts'
import { compileTimeFormat, timeWriter } from '../../record/time-format.ts'
import { MICROS_PER_MS } from '../../text/units.ts'
import type { Window, WindowSpan } from '../window.ts'

/** The ends of a window as a command is told them. */
interface WindowEnds {
  readonly from: string
  readonly to: string
}

/** Writes the ends of windows: `2023-01-01T00:00:00Z`, or by a pattern as of `time_format`. */
export function endsWriter(format: string | undefined): (span: WindowSpan) => WindowEnds {
  const write =
    format === undefined
      ? (instant: number) => new Date(instant).toISOString().replace('.000Z', 'Z')
      : (
          (writer) => (instant: number) =>
            writer(instant * MICROS_PER_MS)
        )(timeWriter(format))
  return ({ start, end }) => ({ from: write(start), to: write(end) })
}

/** Refuses a pattern that can't tell the ends of these windows. Code `usage`. */
export function assertTells(format: string, windows: readonly Window[]): void {
  const [read, ends] = [compileTimeFormat(format), endsWriter(format)]
  for (const window of windows) {
    const { from, to } = ends(window)
    if (read(from, 'UTC') === window.start * MICROS_PER_MS && read(to, 'UTC') === window.end * MICROS_PER_MS)
      continue
    throw new PosthaulError(
      `--window-format ${format} writes the window ${window.name} as ${from} to ${to}`,
      {
        code: 'usage',
        hint: 'add what it leaves out, such as HH:mm, or ask for windows of whole days',
      },
    )
  }
}

/** Fills `{from}`, `{to}` and `{file}` in; other braces stay. */
export function filled(text: string, words: WindowEnds & { readonly file?: string }): string {
  return text.replaceAll(/\{(from|to|file)\}/g, (whole, name: 'from' | 'to' | 'file') => words[name] ?? whole)
}
