/** The codes of ISO 4217 that money is written with; funds, metals and codes for tests are left out. */
const CODES = `
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR
ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP
MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG
SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST
XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL`
  .trim()
  .split(/\s+/)

/** Signs of several characters; each single one of Unicode's currency signs is one too. */
const SIGNS = [
  'US$',
  'A$',
  'AU$',
  'C$',
  'CA$',
  'HK$',
  'MX$',
  'NT$',
  'NZ$',
  'R$',
  'S$',
  'kr',
  'zł',
  'Kč',
  'Ft',
]

const KNOWN: ReadonlySet<string> = new Set([...CODES, ...SIGNS])

/** True for a code of ISO 4217, as `EUR`, or a sign, as `€` and `US$`; in these capitals only. */
export function isCurrency(text: string): boolean {
  return KNOWN.has(text) || /^\p{Sc}$/u.test(text)
}

/** True for letters alone: `EUR`, which an order number may begin with as well. */
export function isLetters(currency: string): boolean {
  return /^\p{L}+$/u.test(currency)
}
