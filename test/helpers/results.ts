import { z } from 'zod'
import { failedResult, RESULTS } from '../../src/commands/results.ts'

/** Throws where what a command printed with `--json` is not what its schema says: a member is missing, or too many. */
export function assertResults(argv: readonly string[], stdout: string): void {
  if (!argv.includes('--json') || argv.includes('--rejects')) return
  for (const line of stdout.split('\n').filter((text) => text !== '')) {
    const result: unknown = JSON.parse(line)
    const { success, error } = schemaOf(result).safeParse(result)
    if (!success) throw new Error(`${argv.join(' ')}: ${z.prettifyError(error)}\n${line}`)
  }
}

function schemaOf(result: unknown): z.ZodType {
  const { command } = z.looseObject({ command: z.enum(Object.keys(RESULTS)) }).parse(result)
  const isFailed = failedResult.safeParse(result).success
  return isFailed ? failedResult : RESULTS[command as keyof typeof RESULTS]
}
