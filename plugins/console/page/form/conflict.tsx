/** Three values side by side where two people changed the same field: nothing is lost without having been seen. */
import type { ReactNode } from 'react'
import { valueText } from '../format.tsx'
import { words } from '../words/words.ts'
import type { Clash, Draft } from './draft.ts'

interface ConflictProps {
  readonly clashes: readonly Clash[]
  readonly draft: Draft
  readonly onKeep: (clash: Clash) => void
  readonly onTake: (clash: Clash) => void
}

export function Conflict({ clashes, draft, onKeep, onTake }: ConflictProps): ReactNode {
  if (clashes.length === 0) return null
  return (
    <section aria-labelledby="conflict" className="card conflict">
      <h2 id="conflict">{words().conflictTitle}</h2>
      <p role="alert">{words().conflictText}</p>
      {clashes.map((clash) => (
        <fieldset key={clash.input.name}>
          <legend>{clash.input.label}</legend>
          <p className="soft">
            {words().before}: {valueText(clash.input.field?.type ?? '', clash.before, clash.input.field?.values)}
          </p>
          <Side
            clash={clash}
            is={draft[clash.input.name] !== undefined}
            label={words().yours}
            onChoose={onKeep}
            value="yours"
          />
          <Side
            clash={clash}
            is={draft[clash.input.name] === undefined}
            label={words().theirs}
            onChoose={onTake}
            value="theirs"
          />
        </fieldset>
      ))}
    </section>
  )
}

interface SideProps {
  readonly clash: Clash
  readonly is: boolean
  readonly label: string
  readonly value: 'yours' | 'theirs'
  readonly onChoose: (clash: Clash) => void
}

function Side({ clash, is, label, onChoose, value }: SideProps): ReactNode {
  return (
    <label className="check">
      <input checked={is} name={`clash-${clash.input.name}`} onChange={() => onChoose(clash)} type="radio" />
      <span>
        {label}: {valueText(clash.input.field?.type ?? '', clash[value], clash.input.field?.values)}
      </span>
    </label>
  )
}
