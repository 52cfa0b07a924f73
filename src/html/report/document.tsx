import { createHash } from 'node:crypto'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import css from './report.css?inline'

/**
 * A whole HTML document around a page. Its policy allows the one style element, known by its hash, and nothing else: no
 * script, no address. So even a text that were taken for markup could neither run nor ask for anything.
 */
export function htmlDocument(title: string, page: VNode): string {
  const hash = createHash('sha256').update(css).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    renderToString(<title>{title}</title>),
    `<style>${css}</style>`,
    '</head>',
    `<body>${renderToString(page)}</body>`,
    '</html>\n',
  ].join('\n')
}
