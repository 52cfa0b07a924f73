import type { Draft, RecordView } from '../../mapping/preset.ts'

/** Amounts by their slots, and the properties that hold them in whole units of the currency. */
const AMOUNTS: ReadonlyArray<readonly [slot: string, property: string]> = [
  ['revenue', 'revenue'],
  ['tax', 'tax'],
  ['shipping', 'shipping'],
  ['item_revenue', 'revenue'],
]

const DECIMALS = 6

/** The export has amounts in millionths, as whole numbers. Each is there in whole units too, to the last digit. */
export function setAmounts(record: RecordView, draft: Draft): void {
  for (const [slot, property] of AMOUNTS) {
    const text = record.text(slot)
    if (text !== undefined && /^-?\d{1,15}$/.test(text) && !draft.has(property))
      draft.property(property, wholeUnits(text))
  }
}

/** `49900000` is 49.9. Digits are moved, not computed. */
export function wholeUnits(millionths: string): string {
  const sign = millionths.startsWith('-') ? '-' : ''
  const digits = millionths.slice(sign.length).padStart(DECIMALS + 1, '0')
  const units = digits.slice(0, -DECIMALS).replace(/^0+(?=\d)/, '')
  const rest = digits.slice(-DECIMALS).replace(/0+$/, '')
  return sign + units + (rest === '' ? '' : `.${rest}`)
}
