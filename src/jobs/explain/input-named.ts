import { PosthaulError } from '../../errors.ts'
import type { InputFile } from '../../inputs/input-file.ts'

/** Names that are shown when one has to be chosen. */
const MOST_NAMES = 8

/** The one input that a line is of: the only one, or the one with this name or path. Code `usage` for any other. */
export function inputNamed(inputs: readonly InputFile[], named: string | undefined): InputFile {
  const fitting =
    named === undefined ? inputs : inputs.filter(({ name, path }) => name === named || path === named)
  const [first] = fitting
  if (first !== undefined && fitting.length === 1) return first
  const names = inputs.slice(0, MOST_NAMES).map(({ name }) => name)
  const more = inputs.length - names.length
  throw new PosthaulError(
    named === undefined
      ? `there are ${inputs.length} files, each with lines of its own`
      : `no file is named ${named}`,
    {
      code: 'usage',
      lines: [...names, ...(more > 0 ? [`and ${more} more`] : [])],
      hint: `name the file before the number, as rejects do: --line ${names[0] ?? 'a.ndjson'}:12`,
    },
  )
}
