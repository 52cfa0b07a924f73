import { stat } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { errnoOf, fileError } from '../../store/file-error.ts'
import { replaceFile } from '../../store/own-file.ts'
import { readSpan } from '../../store/read-file.ts'
import { isS3 } from '../../store/s3-location.ts'
import { fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { bytes } from '../../text/words.ts'
import { VERSION } from '../../version.ts'
import { datasetsOf } from '../dataset-argument.ts'
import { labelled } from '../lines.ts'
import { gatherReport } from './gather-report.ts'
import type { ReportCall } from './index.ts'
import type { ReportData } from './report-data.ts'
import type { ReportResult } from './result.ts'

export { reportResult as schema } from './result.ts'

/** Writes the page of datasets. */
export async function* run(call: ReportCall, io: Io): AsyncGenerator<ReportResult> {
  const names = datasetsOf(call.args, undefined)
  const { out, overwrite, checkpoint, state } = call.values
  const place = { path: out, overwrite }
  await assertPagePlace(place)
  const data = await gatherReport(names, { checkpoint, state }, io)
  const bytes = await writePage(place, data)
  const { verdict, proof, missing, reduced } = data
  const [asked, equal] = [proof?.asked_at ?? null, proof?.found.equal ?? null]
  const said = verdict ? `${verdict.title} ${verdict.text ?? ''}`.trim() : null
  const result = { datasets: names, out, bytes, asked, equal, verdict: said, missing, reduced }
  yield { version: 1, command: 'report', ...result }
}

export function lines(result: ReportResult): string[] {
  return [
    `report: ${visible(result.out)}, ${bytes(result.bytes)}`,
    ...(result.verdict === null ? [] : fold(visible(result.verdict), '  ')),
    ...result.missing.flatMap((text) => labelled('missing', visible(text))),
    ...result.reduced.flatMap((text) => labelled('smaller', visible(text))),
  ]
}

/** The second line of each page that posthaul writes begins so: by it a page is told from other files. */
const MARK = '<!-- a report of posthaul '
const HEAD_BYTES = 256

/** Where a page is written. */
interface PagePlace {
  readonly path: string
  /** Replace a file that is no report of posthaul. */
  readonly overwrite: boolean
}

/** Refuses a place, with code `usage`, where a page would replace what is not one. Before the work, not after it. */
async function assertPagePlace({ path, overwrite }: PagePlace): Promise<void> {
  if (isS3(path)) {
    throw new PosthaulError(`${path}: a page is written to a file of this machine`, {
      code: 'usage',
      hint: 'name a file, such as report.html, and copy it to the bucket then',
    })
  }
  const found = await stat(path).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'look at', path)
  })
  if (!found) return
  if (!found.isFile()) {
    throw new PosthaulError(`${path} is not an ordinary file`, {
      code: 'usage',
      hint: 'name a file, such as report.html',
    })
  }
  if (overwrite || found.size === 0 || (await readSpan(path, HEAD_BYTES)).toString('utf8').includes(MARK))
    return
  throw new PosthaulError(`${path} is there and is not a report of posthaul: it would be overwritten`, {
    code: 'usage',
    hint: 'name another file, or delete that one',
  })
}

/** Writes a page, whole or not at all. Returns its size in bytes. */
async function writePage(place: PagePlace, data: ReportData): Promise<number> {
  await assertPagePlace(place)
  const page: { renderReport(data: ReportData): string } = await import(
    new URL('../../../dist/web/report.js', import.meta.url).href
  )
  const html = page
    .renderReport(data)
    .replace(/^<!doctype html>/i, (type) => `${type}\n${MARK}${VERSION} -->`)
  const text = Buffer.from(html)
  await replaceFile(place.path, (file) => file.writeFile(text))
  return text.length
}
