import { USUAL_REJECT_RATIO } from '../../record/index.ts'
import { number } from '../../text/index.ts'
import type { Trial } from '../trial.ts'
import type { DraftQuestion } from './draft-facts.ts'
import { percentText } from './yaml-text.ts'

/** The question of a file by which transform stops, since it rejects too many records. */
export function rejectQuestion({ read, rejected }: Trial): DraftQuestion | undefined {
  if (read === 0 || rejected / read <= USUAL_REJECT_RATIO) return undefined
  const share = `${number(rejected)} of ${number(read)} records (${percentText(rejected, read)}) are rejected`
  const text = `${share}: transform stops above ${percentText(USUAL_REJECT_RATIO, 1)}. Fill the gaps that are asked about below, or raise --max-reject-ratio to leave these records out?`
  return { about: '', text }
}
