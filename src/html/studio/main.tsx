import { render } from 'preact'
import '../kit/theme.css'
import './studio.css'
import { App } from './app.tsx'

render(<App />, document.getElementById('studio')!)
