/** The order and the width of the columns of a list, by buttons. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { Box } from '../shell/dialog.tsx'
import { words } from '../words/words.ts'
import { type Column, columnText } from './columns.ts'
import type { Change } from './query.ts'

interface ArrangeProps {
  readonly columns: readonly Column[]
  readonly onChange: Change
  readonly onClose: () => void
}

/** How much wider than the narrowest a column is. */
const WIDTHS = [1, 2, 3]

export function ArrangeBox({ columns, onChange, onClose }: ArrangeProps): ReactNode {
  const become = (next: readonly Column[]): void => onChange({ columns: next.map(columnText).join(',') })
  const move = (from: number, to: number): void => {
    const next = columns.filter((_, at) => at !== from)
    become([...next.slice(0, to), columns[from]!, ...next.slice(to)])
  }
  const widen = (at: number, width: number): void =>
    become(columns.map((column, place) => (place === at ? { ...column, width } : column)))
  return (
    <Box onClose={onClose} title={words().arrange}>
      <ol className="plain arrange">
        {columns.map(({ key, label, width = 1 }, at) => (
          <li className="row" key={key}>
            <span className="grow">{label}</span>
            <Width label={label} onWidth={(next) => widen(at, next)} width={width} />
            <Button
              aria-label={words().moveForward(label)}
              className="button"
              isDisabled={at === 0}
              onPress={() => move(at, at - 1)}
            >
              ↑
            </Button>
            <Button
              aria-label={words().moveBack(label)}
              className="button"
              isDisabled={at === columns.length - 1}
              onPress={() => move(at, at + 1)}
            >
              ↓
            </Button>
          </li>
        ))}
      </ol>
      <div className="row end">
        <Button className="button primary" onPress={onClose}>
          {words().close}
        </Button>
      </div>
    </Box>
  )
}

interface WidthProps {
  readonly label: string
  readonly width: number
  readonly onWidth: (width: number) => void
}

function Width({ label, onWidth, width }: WidthProps): ReactNode {
  return (
    <select aria-label={words().widthOf(label)} onChange={(event) => onWidth(Number(event.target.value))} value={width}>
      {WIDTHS.map((one) => (
        <option key={one} value={one}>
          {words().widths[one - 1]}
        </option>
      ))}
    </select>
  )
}
