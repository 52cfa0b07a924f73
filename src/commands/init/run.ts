import { writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { EXIT, PosthaulError } from '../../errors.ts'
import { listInputs } from '../../inputs/list.ts'
import { statOf } from '../../inputs/locate.ts'
import { type FileRemark, remarkWords } from '../../inputs/manifests/remark.ts'
import { SPREAD_BYTES } from '../../inputs/spread.ts'
import type { Io } from '../../io.ts'
import { testFileOf } from '../../mapping-tests/test-sets.ts'
import { errnoOf, fileError } from '../../store/file-error.ts'
import { FILE_MODE } from '../../store/own-file.ts'
import { MEANINGS } from '../../studio/draft/events-draft.ts'
import { seenWords, trialWords } from '../../studio/draft/mapping-head.ts'
import { firstMapping } from '../../studio/first-mapping.ts'
import type { TestExample } from '../../studio/trial.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { secondsJson } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { KIB, MICROS_PER_MS } from '../../text/units.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import { loadMapping } from '../../transform/load-mapping.ts'
import { interruptedError } from '../../transform/pool.ts'
import { block } from '../lines.ts'
import type { InitCall, InitValues } from './index.ts'
import type { InitResult } from './result.ts'

export { initResult as schema } from './result.ts'

export const exit = ({ missing }: InitResult) => (missing.length > 0 ? EXIT.rejects : EXIT.done)

/** Looks at records, and writes a first mapping file of them. */
export async function* run({ args: files, values }: InitCall, io: Io): AsyncGenerator<InitResult> {
  const result = await initMapping(files, values, io).catch((error: unknown) => {
    throw io.interrupted.aborted ? interruptedError('no mapping file was finished') : error
  })
  if (!values.json && result.out === null) io.stdout.write(result.mapping)
  yield result
}

async function initMapping(files: readonly string[], { out }: InitValues, io: Io): Promise<InitResult> {
  const started = Date.now()
  // Before minutes of reading; writing holds against a file that comes meanwhile.
  const there = out === undefined ? undefined : await statOf(out)
  if (there === 'folder') {
    const hint = `name a file: --out ${join(out!, 'mapping.yaml')}`
    throw new PosthaulError(`${out} is a folder`, { code: 'usage', hint })
  }
  if (there) throw isThere(out!)
  const remark = (one: FileRemark) => io.telemetry.note('init', remarkWords(one), 'warn')
  const inputs = await listInputs(files, { remark })
  const words = ['transform', '--map', out ?? 'mapping.yaml', '--in', ...files]
  words.push('--out', 'events/', '--dry-run')
  const next = posthaulLine(words)
  const studio = posthaulLine(['studio', out ?? 'mapping.yaml', '--in', ...files])
  const progress = progressFor(io.telemetry)
  const all = inputs.reduce((sum, { size }) => sum + size, 0)
  progress.start('init', Math.min(all, SPREAD_BYTES))
  const first = await firstMapping(inputs, {
    asked: files,
    next,
    now: Date.now() * MICROS_PER_MS,
    progress: progress.add,
    stop: io.interrupted,
  }).finally(progress.stop)
  if (out !== undefined) await writeNew(out, first.yaml)
  const tests = out === undefined || !first.trial ? null : await firstTests(out, first.trial.examples, io)
  const { recognised, spread, trial, firstOfKinds: kind } = first
  return {
    ...{ version: 1, command: 'init', finished: true, out: out ?? null, tests },
    seconds: secondsJson((Date.now() - started) / 1000),
    preset: first.preset,
    recognised: recognised
      ? { title: recognised.title, members: recognised.members, records: recognised.records }
      : null,
    encoding: first.encoding ?? null,
    sample: {
      ...{ records: spread.records.length, read: spread.read, refused: spread.refusedCount },
      ...{ whole: spread.whole, files: spread.files, files_read: spread.filesRead },
      ...{ bytes: spread.bytes, bytes_read: spread.bytesRead },
    },
    columns: first.findings,
    questions: first.questions,
    missing: first.missing,
    trial: trial
      ? {
          ...{ read: trial.read, events: trial.events, rejected: trial.rejected, filtered: trial.filtered },
          ...{ reasons: trial.reasons, list: first.list ?? null },
        }
      : null,
    mapping: first.yaml,
    next_command: kind === undefined ? next : initOf(kind),
    studio_command: studio,
  }
}

/** Tables of different kinds need a mapping file each. */
function initOf(file: string): string {
  return posthaulLine(['init', file, '--out', `${parse(file).name}.yaml`])
}

/** A record of more bytes is no test that a person reads. */
const MOST_BYTES = 16 * KIB

/** Writes tests of some records beside a mapping file. Null where a file of tests is there, or none can be written. */
async function firstTests(map: string, examples: readonly TestExample[], io: Io): Promise<string | null> {
  if (examples.length === 0 || (await statOf(testFileOf(map))) !== undefined) return null
  const { addTests, testableRecord, testsFrom } = await import('../../mapping-tests/write-tests.ts')
  const file = await loadMapping(map)
  const rules = { map, file, options: { with: [] } }
  try {
    const records = []
    for (const { about, record } of examples) {
      const { input, number, bytes } = record
      if (bytes.length > MOST_BYTES) continue
      const read = { input, number, record: bytes.toString('utf8'), about }
      const testable = await testableRecord(read, { columns: file.columns, withTable: true }, io)
      records.push({ ...testable, brief: true as const })
    }
    if (records.length === 0) return null
    return await addTests(await testsFrom(records, rules, io), rules)
  } catch (error) {
    if (!(error instanceof PosthaulError)) throw error
    io.telemetry.note('init', `no tests were written: ${error.message}`, 'warn')
    return null
  }
}

/** Never over a file: it may hold a day's work. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: FILE_MODE })
  } catch (cause) {
    throw errnoOf(cause) === 'EEXIST' ? isThere(path) : fileError(cause, 'write', path)
  }
}

function isThere(path: string): PosthaulError {
  return new PosthaulError(`${path} is there already, and was left as it is`, {
    code: 'usage',
    hint: 'name another file, or delete this one',
  })
}

const STDOUT = 'the mapping file is on standard output'
const MOST_QUESTIONS = 5

/** The findings in words. */
export function lines(result: InitResult): string[] {
  const { out, tests, recognised, sample, questions, missing, trial } = result
  const seen = { ...sample, filesRead: sample.files_read, refusedCount: sample.refused }
  const more = questions.length - MOST_QUESTIONS
  return [
    ...block(`init: ${out === null ? `${STDOUT}: save it as mapping.yaml` : `wrote ${out}`}`, {
      'looked at': seenWords(seen, { sampled: sample.records }),
      preset: `${result.preset}: ${recognised?.title ?? "no vendor's preset knows these records"}`,
      encoding: result.encoding,
      tried: trial && trialWords(trial, trial.list ?? undefined),
      tests: tests && `${tests}: what some of the records become; posthaul test runs them`,
      missing: missing.map((place) => `${MEANINGS[place]}: the file says FILL_IN there`),
      '?': [
        ...questions
          .slice(0, MOST_QUESTIONS)
          .map(({ about, text }) => (text.includes(about) ? text : `${about}: ${text}`)),
        ...(more > 0 ? [`${plural(more, 'more question')} in the file`] : []),
      ],
    }),
    ...(result.next_command.startsWith('posthaul init')
      ? [`  next: ${visible(result.next_command)}`, '        and so on, for each kind']
      : [
          `  next: ${visible(result.studio_command)}`,
          '        answers its questions on a page of this machine; without one:',
          `  ${missing.length > 0 ? 'fill it in, then' : 'or'}: ${visible(result.next_command)}`,
        ]),
  ]
}
