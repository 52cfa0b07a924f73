/** Characters that end a line or a comment somewhere, that a screen obeys, or that it doesn't show. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const SECRET_NAME =
  /(?:pass(?:word|wd|phrase)?|secret|token|api_?key|private|credential|auth|card|iban|ssn|cvv)/i
const EXAMPLE_CHARACTERS = 28
const SECRET_CHARACTERS = 4
const DEFAULT_WIDTH = 100

/** A name as YAML takes it: quoted where it could mean something else. */
export function yamlKeyText(name: string): string {
  const isPlain = /^[a-z_$][\w$.-]*$/i.test(name) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(name)
  if (isPlain) return name
  // A path with a name in double quotes is easier to read in single ones.
  return name.includes('"') && name.replaceAll(UNSEEN, '') === name && !name.includes("'")
    ? `'${name}'`
    : yamlQuoted(name)
}

function yamlQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0)!
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Text that can be in a comment: on one line, and nothing in it acts. */
export function inComment(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** Lines of a comment, folded at blanks. */
export function comment(text: string, indent = '', first = '# '): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of inComment(text).split(' ')) {
    if (line !== '' && indent.length + 2 + line.length + 1 + word.length > DEFAULT_WIDTH) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines.map((one, index) => `${indent}${index === 0 ? first : '#   '}${one}`)
}

/** A question below a key: what is written is the likeliest answer. */
export function asked(text: string): string[] {
  return comment(text, '  ', '# ? ')
}

/** A value for a comment, short. Of what may be a secret, only its beginning. */
export function example(name: string, text: string | undefined): string {
  if (text === undefined) return '(empty)'
  const most = isSecret(name, text) ? SECRET_CHARACTERS : EXAMPLE_CHARACTERS
  const letters = [...text.slice(0, 4 * most)]
  const cut = letters.slice(0, most).join('')
  return inComment(JSON.stringify(cut.length < text.length ? `${cut}…` : text))
}

/** True for what is called a secret, and for long words of letters and digits without order that are no UUID. */
export function isSecret(name: string, text: string): boolean {
  if (SECRET_NAME.test(name)) return true
  const isToken = /^[\w+/=.-]{24,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text)
  return (
    /^(?:eyJ|sk[-_]|pk[-_]|ph[cxs]_|ghp_|AKIA|xox[bp]-)/.test(text) ||
    (isToken && !/^[0-9a-f-]{36}$/i.test(text))
  )
}

/** A share in percent, never rounded to all or nothing. */
export function percentText(part: number, of: number): string {
  if (part === 0) return '0%'
  if (part === of) return '100%'
  return `${Math.min(99, Math.max(1, Math.round((100 * part) / of)))}%`
}
