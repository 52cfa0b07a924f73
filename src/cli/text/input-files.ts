import { type FileRemark, remarkWords } from '../../inputs/manifests/remark.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'

/** `--json` names no more of the files of one remark. */
const NAMED = 20

const [FILES, WARNING] = ['  files     ', '  warning   ']

/** What a vendor's manifests make of files, a remark a line or two. */
export function inputFileLines(remarks: readonly FileRemark[]): string[] {
  return remarks.flatMap((one) => fold(visible(remarkWords(one)), REMARK, isLoss(one) ? WARNING : FILES))
}

/** The remarks as `--json` has them. */
export function inputFilesJson(remarks: readonly FileRemark[]): object[] {
  return remarks.map(({ what, vendor, names }) => {
    return { what, vendor, count: names.length, names: names.slice(0, NAMED) }
  })
}

/** True if history may be missing that the user expects. */
function isLoss({ what }: FileRemark): boolean {
  return what === 'never_whole' || what === 'unnamed' || what === 'not_a_manifest'
}
