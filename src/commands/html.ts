import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { bytes } from '../text/words.ts'
import { LATE } from './late.ts'
import type { ReportData } from './report/report-data.ts'

type Parts = Awaited<ReturnType<typeof LATE.reportParts>>

/** Refuses a value of --html where a page would replace what is not one: before the work, not after it. */
export async function assertHtml(path: string | undefined): Promise<void> {
  if (path === undefined) return
  const { assertPagePlace } = await LATE.reportPage()
  await assertPagePlace({ path, overwrite: false })
}

/** Writes the page that --html asks for. That it can't be written does not undo what the command did. */
export async function writeHtml(
  path: string | undefined,
  make: (parts: Parts) => Promise<ReportData>,
  io: Io,
): Promise<void> {
  if (path === undefined) return
  const [parts, { writePage }] = await Promise.all([LATE.reportParts(), LATE.reportPage()])
  try {
    const data = await make(parts)
    const size = await writePage({ path, overwrite: false }, data)
    io.telemetry.note(data.command, `${path} shows it: a page of ${bytes(size)}`)
  } catch (error) {
    if (!(error instanceof PosthaulError)) throw error
    const hint = error.hint === undefined ? '' : ` (${error.hint})`
    io.telemetry.note('report', `no page is written: ${error.message}${hint}`, 'warn')
  }
}
