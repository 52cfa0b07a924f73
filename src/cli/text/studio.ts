import type { StudioResult } from '../../jobs/results.ts'
import type { StudioState } from '../../studio/index.ts'
import { number, plural, visible } from '../../text/index.ts'

export function studioAnnouncement(url: string, { input, mapping }: StudioState): StudioResult {
  return {
    version: 1,
    command: 'studio',
    url,
    mapping: { path: mapping.path, exists: mapping.exists },
    records: input.records,
    whole: input.whole,
    pid: process.pid,
  }
}

export function studioGreeting({ input, mapping, fault }: StudioState): string {
  const { records, whole, files, estimatedRecords } = input
  const of = whole
    ? 'all there are'
    : `a sample${estimatedRecords === null ? '' : ` of about ${number(estimatedRecords)}`}`
  return [
    `studio: ${plural(records, 'record')} of ${plural(files, 'file')}, ${of}`,
    `mapping: ${visible(mapping.path)}${mapping.exists ? '' : ', made on the first save'}`,
    ...(fault ? [`  it has a fault: ${visible(fault.message)}`] : []),
    'open the address above in a browser of this machine; stop with Ctrl-C',
    '',
  ].join('\n')
}
