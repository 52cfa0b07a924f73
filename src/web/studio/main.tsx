import { render } from 'preact'
import '../kit/theme.css'

render(<h1>studio</h1>, document.getElementById('studio')!)
