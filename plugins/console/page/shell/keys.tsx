/** Single keys: off inside fields, and off altogether for those who say so; and the list of them. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { words } from '../words/words.ts'
import { Box } from './dialog.tsx'

const KEPT = 'plinth.console.keys'

/** Whether single keys do something. */
export function areKeysOn(): boolean {
  try {
    return localStorage.getItem(KEPT) !== 'off'
  } catch {
    return true
  }
}

function keepKeys(areOn: boolean): void {
  try {
    localStorage.setItem(KEPT, areOn ? 'on' : 'off')
  } catch {
    // A browser that keeps nothing has the keys on.
  }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu], [role=listbox]',
    ) !== null
  )
}

/** Calls `act` for a single key as long as the component is there. */
export function useKey(key: string, act: (() => void) | undefined): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (latest.current === undefined || !areKeysOn() || isTyping(event.target)) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [key])
}

/** Calls `act` for Ctrl or Command with a key, also inside fields. */
export function useChord(key: string, act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== key || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [key])
}

/** The list of keys, and whether they are on. */
export function KeysBox({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [areOn, setOn] = useState(areKeysOn)
  const w = words()
  const keys: readonly (readonly [string, string])[] = [
    ['Ctrl K', w.keyFind],
    ['/', w.keySearch],
    ['f', w.keyFilter],
    ['↑ ↓', w.keyRows],
    ['Enter', w.keyOpen],
    [w.keySpace, w.keyChoose],
    ['F2', w.keyCell],
    ['j k', w.keyNext],
    ['c', w.keyCreate],
    ['e', w.keyEdit],
    ['Ctrl Enter', w.keySave],
    ['?', w.keyHelp],
  ]
  const change = (on: boolean): void => {
    keepKeys(on)
    setOn(on)
  }
  return (
    <Box onClose={onClose} title={w.keys}>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input checked={areOn} onChange={(event) => change(event.target.checked)} type="checkbox" /> {w.keysOn}
      </label>
      <div className="row end">
        <Button autoFocus className="button" onPress={onClose}>
          {w.close}
        </Button>
      </div>
    </Box>
  )
}
