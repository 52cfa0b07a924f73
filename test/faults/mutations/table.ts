import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../bench/process.ts'
import type { Mutation } from './mutation.ts'

/**
 * All deliberate breaks of the source, as `table.txt` has them. A line begins with `## ` before a promise, with `- ` before what is
 * taken out of the source, with `+ ` before what is put there, if anything; any other line is the head of a row:
 * name | file | its test's file, "(built)" if it runs the built program | piece of the test's name | code of the finding, if one is broken
 */
export const MUTATIONS: readonly Mutation[] = read(
  readFileSync(join(ROOT, 'test/faults/mutations/table.txt'), 'utf8').trimEnd().split('\n'),
)

function read(lines: readonly string[]): Mutation[] {
  const rows: (Pick<Mutation, 'promise'> & { head: string; out: string[]; in: string[] })[] = []
  let promise = ''
  for (const line of lines) {
    const row = rows.at(-1)
    if (line.startsWith('## ')) promise = line.slice(3)
    else if (line.startsWith('-')) row!.out.push(line.slice(2))
    else if (line.startsWith('+')) row!.in.push(line.slice(2))
    else if (line !== '') rows.push({ promise, head: line, out: [], in: [] })
  }
  return rows.map((row) => {
    const [name, file, test, testName, code] = row.head.split(' | ')
    return {
      name: name!,
      promise: row.promise,
      ...(code && { code }),
      file: file!,
      find: row.out.join('\n'),
      replace: row.in.join('\n'),
      test: { file: test!.replace(' (built)', ''), name: testName!, built: test!.endsWith(' (built)') },
    }
  })
}
