import fc from 'fast-check'

/** What a generated text may contain. */
interface TextOptions {
  /** True leaves out what the service would refuse, so that nothing needs mending. */
  readonly sendable?: boolean
}

const BLANK = fc.constantFrom('', '', '', '', ' ', '\t', '\n', '\r', ' \r\n\t ')

const PIECE = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text).slice(1, -1)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\r', '\\t', '\\u0000', '\\u001F'),
  },
  { weight: 2, arbitrary: fc.constantFrom('é', 'ß', '中', '😀', '\u2028', '\u007f', '\ufeff', '\u{10ffff}') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\u00e9', '\\u00E9', '\\ud83d\\ude00', '\\uD83D\\uDE00', '\\u2028'),
  },
  { weight: 1, arbitrary: fc.constantFrom(',', ':', '{', '}', '[', ']', '\\"}', '\\\\\\"', "'") },
)
const LONE = fc.constantFrom('\\ud800', '\\uDFFF', '\\ud800\\ud800', '\\udc00\\ud800', '\\ud83dx')

const KEY = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', '\\u0061', 'A', '', '__proto__', 'distinct_id', '\\u0024set'),
  },
  { weight: 2, arbitrary: fc.array(PIECE, { maxLength: 3 }).map((pieces) => pieces.join('')) },
)

const DIGITS = fc.stringMatching(/^[0-9]{1,4}$/)
const INTEGER = fc.oneof(
  fc.constantFrom('0', '9007199254740991', '9007199254740992', '9007199254740993', '12345678901234567890'),
  fc.stringMatching(/^[1-9][0-9]{0,17}$/),
)
const EXPONENT = fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'), fc.stringMatching(/^[0-9]{1,2}$/))
const NUMBER = fc
  .tuple(
    fc.constantFrom('', '', '-'),
    INTEGER,
    fc.option(DIGITS, { nil: undefined }),
    fc.option(EXPONENT, { nil: undefined, freq: 2 }),
  )
  .map(([sign, integer, fraction, exponent]) => {
    return `${sign}${integer}${fraction === undefined ? '' : `.${fraction}`}${exponent?.join('') ?? ''}`
  })
const HUGE = fc.constantFrom('1e400', '-1E+309', `1${'0'.repeat(310)}`, '1.5e999', `${'9'.repeat(400)}.5`)

/** JSON text of an object as no serialiser would write it: odd blanks, escapes, numbers, repeated keys. */
export function objectText({ sendable = false }: TextOptions = {}): fc.Arbitrary<string> {
  const string = fc
    .array(sendable ? PIECE : fc.oneof({ weight: 20, arbitrary: PIECE }, { weight: 1, arbitrary: LONE }), {
      maxLength: 4,
    })
    .map((pieces) => `"${pieces.join('')}"`)
  const number = sendable
    ? NUMBER
    : fc.oneof({ weight: 20, arbitrary: NUMBER }, { weight: 1, arbitrary: HUGE })
  const spaced = (inner: fc.Arbitrary<string>) => fc.tuple(BLANK, inner, BLANK).map((parts) => parts.join(''))
  const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      string,
      number,
      fc.constantFrom('true', 'false', 'null'),
      tie('object'),
      tie('array'),
    ),
    object: fc
      .array(fc.tuple(spaced(KEY.map((key) => `"${key}"`)), spaced(tie('value'))), { maxLength: 5 })
      .chain((members) =>
        BLANK.map((blank) => `{${members.map((pair) => pair.join(':')).join(',') || blank}}`),
      ),
    array: fc
      .array(spaced(tie('value')), { maxLength: 4 })
      .chain((items) => BLANK.map((blank) => `[${items.join(',') || blank}]`)),
  }))
  return object
}
