import { Lexer, Parser } from 'yaml'

/** Deeper than any file of settings is written by hand. */
const MOST_LEVELS = 100

/**
 * True for text that nests so deep that the YAML library, which recurses, would use up the stack. Near its end V8 can end
 * the whole process, so the error can't be waited for.
 */
export function isTooDeep(text: string): boolean {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    // The tokens are of no use here: they are made by running the generator.
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MOST_LEVELS) return true
  }
  return false
}
