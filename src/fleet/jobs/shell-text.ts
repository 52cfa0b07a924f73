/** Lines of a comment. */
export function commentLines(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '#\n' : `# ${line}\n`)).join('')
}
