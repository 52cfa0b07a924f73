import { renderToString } from 'preact-render-to-string'
import css from '../kit/theme.css?inline'

export function renderReport(title: string): string {
  return `<!doctype html><style>${css}</style>${renderToString(<h1>{title}</h1>)}`
}
