import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import type { StudioResult } from './result.ts'

/** What is looked at, without the address: that goes to standard output alone, since it has the token. */
export function studioLines(result: StudioResult): string[] {
  const { records, whole, files, estimated_records: all, mapping, fault } = result
  const of = whole ? 'all there are' : `a sample${all === null ? '' : ` of about ${number(all)}`}`
  return [
    `studio: ${plural(records, 'record')} of ${plural(files, 'file')}, ${of}`,
    `mapping: ${visible(mapping.path)}${mapping.exists ? '' : ', made on the first save'}`,
    ...(fault === null ? [] : [`  it has a fault: ${visible(fault)}`]),
    'open the address above in a browser of this machine; stop with Ctrl-C',
  ]
}
