/** What the plugin adds to the console: what is left of the promised times, minutes as people say them, and records along time. */
import { type CellProps, defineConsole, type EditorProps } from 'plinth/console'
import { type ReactNode, useState } from 'react'
import { Clocks } from './page/clocks.tsx'
import { Timeline } from './page/timeline.tsx'
import './page/tickets.css'

/** Minutes as hours and minutes: no days, because a working day has no 24 hours. */
function minutesText(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : ''].join(' ').trim()
}

const WRITTEN = /^(?:(\d{1,5})\s*h|(\d{1,5})\s*:(?=\s*\d))?\s*(?:(\d{1,6})\s*(?:m|min)?)?$/i

/** What `2 h 30 min`, `2:30` or `150` means in minutes; undefined where it means nothing. */
function minutesIn(text: string): number | undefined {
  const [, hours, clock, minutes] = WRITTEN.exec(text.trim()) ?? []
  if ((hours ?? clock ?? minutes) === undefined) return undefined
  return Number(hours ?? clock ?? 0) * 60 + Number(minutes ?? 0)
}

/** A text is given on as it is where it means nothing, and the server says what is wrong with it. */
function Minutes({ control, onChange, value }: EditorProps): ReactNode {
  const [text, setText] = useState(typeof value === 'number' ? minutesText(value) : String(value ?? ''))
  const change = (next: string): void => {
    setText(next)
    onChange(next.trim() === '' ? null : (minutesIn(next) ?? next))
  }
  return (
    <span className="row">
      <input
        {...control}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
        type="text"
        value={text}
      />
      <output htmlFor={control.id}>
        {typeof value === 'number' && text !== minutesText(value) ? `= ${minutesText(value)}` : ''}
      </output>
    </span>
  )
}

const MinutesCell = ({ value }: CellProps): ReactNode => minutesText(Number(value))

export default defineConsole({
  editors: { minutes: { types: ['integer'], editor: Minutes, cell: MinutesCell } },
  blocks: { clocks: Clocks },
  views: { timeline: Timeline },
})
