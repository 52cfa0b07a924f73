import { COLUMNS } from '../../text/fold.ts'
import { findingCounts, findingLines } from '../lines.ts'
import type { DoctorResult } from './result.ts'

/** The findings, errors and what they are told from. */
export function doctorLines({ findings }: DoctorResult): string[] {
  return [`doctor: ${findingCounts(findings)}`.slice(0, COLUMNS), ...findingLines(findings)]
}
