import { PosthaulError } from '../errors.ts'
import type { MappingFault } from './studio-data.ts'

/** What is wrong with a mapping, with its place in the text. Throws again what is no fault of a mapping. */
export function faultOfError(error: unknown, path: string): MappingFault {
  if (!(error instanceof PosthaulError) || !['config', 'usage', 'input'].includes(error.code)) throw error
  const { message, hint = null } = error
  const [, line, column, rest] =
    (message.startsWith(`${path}:`) && /^(\d+):(\d+): (.*)$/s.exec(message.slice(path.length + 1))) || []
  if (rest === undefined) return { line: null, column: null, message, hint }
  return { line: Number(line), column: Number(column), message: rest, hint }
}
