/** What changes do, side by side: the patch, the plan for the database, and what clients and callers gain and lose. */
import { Button, Card, type Json, notify, Row, useAct } from 'plinth/console'
import type { ReactNode } from 'react'
import { Failure, Mistakes, PlanSteps, useText } from './parts.tsx'
import { Outside } from './state.tsx'
import type { Change, Diagnostic, Proposal } from './told.ts'

interface OutcomeProps {
  readonly proposal: Proposal
  readonly changes: readonly Change[]
  /** Whether another proposal is on its way. */
  readonly isBusy: boolean
  readonly onOpen: (diagnostic: Diagnostic) => void
  /** Called when files were written. */
  readonly again: () => void
}

/** Writes what was shown, and offers to take it back. */
function useWriting({ again, changes, proposal }: Pick<OutcomeProps, 'again' | 'changes' | 'proposal'>) {
  const text = useText()
  const { failure, isBusy: isWriting, run } = useAct()
  const undo = (edits: readonly Change[]): void =>
    run(async (acts) => {
      const back = (await acts.call('schema.edits', { body: { edits } as object as Json })) as object as Proposal
      await acts.call('schema.files', { body: { edits, hash: back.hash } as object as Json })
      again()
    })
  const write = (word?: string): void =>
    run(async (acts) => {
      const body = { edits: changes, hash: proposal.hash } as object as Json
      const written = (await acts.call('schema.files', { body })) as object as {
        readonly files: readonly string[]
        readonly undo: readonly Change[]
      }
      if (word !== undefined) await acts.call('schema.plans', { body: { hash: word } })
      const names = written.files.map((file) => file.split('/').at(-1)).join(', ')
      notify(text.wrote(names), { label: text.undo, run: () => undo(written.undo) })
      again()
    })
  return { failure, isWriting, write }
}

export function Outcome({ again, changes, isBusy, onOpen, proposal }: OutcomeProps): ReactNode {
  const text = useText()
  const { diagnostics, patch, plan } = proposal
  const { failure, isWriting, write } = useWriting({ again, changes, proposal })
  const refused = plan?.steps.filter(({ start }) => start === 'refuses') ?? []
  const isBroken = diagnostics.some(({ severity }) => severity === 'error')
  const isIdle = !isBusy && !isWriting
  return (
    <>
      {diagnostics.length === 0 ? null : (
        <Card title={text.mistakes}>
          <Mistakes diagnostics={diagnostics} onOpen={onOpen} />
        </Card>
      )}
      <SideBySide proposal={proposal} />
      <Row>
        {refused.length === 0 ? (
          <Button isDisabled={!isIdle || isBroken} kind="primary" onPress={() => write()}>
            {text.write}
          </Button>
        ) : (
          <Button isDisabled={!isIdle || isBroken} kind="danger" onPress={() => write(plan?.hash)}>
            {text.writeAnyway(refused.length)}
          </Button>
        )}
        <Button
          onPress={() => {
            void navigator.clipboard.writeText(patch).then(() => notify(text.copied))
          }}
        >
          {text.copy}
        </Button>
      </Row>
      <Failure text={failure} />
    </>
  )
}

function SideBySide({ proposal }: Pick<OutcomeProps, 'proposal'>): ReactNode {
  const text = useText()
  return (
    <div className="schema-outcome">
      <div className="card">
        <h2>{text.patch}</h2>
        <Patch patch={proposal.patch} />
      </div>
      <Card title={text.inDatabase}>
        <PlanSteps plan={proposal.plan} />
      </Card>
      <Card title={text.outside}>
        {(proposal.api?.length ?? 0) + (proposal.access?.sentences.length ?? 0) === 0 ? (
          <p className="soft">{text.nothing}</p>
        ) : null}
        <Outside access={proposal.access} api={proposal.api} />
      </Card>
    </div>
  )
}

/** A patch with its lines marked. */
function Patch({ patch }: { readonly patch: string }): ReactNode {
  const text = useText()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled can be scrolled by keys
    <section aria-label={text.patch} className="schema-patch" dir="ltr" tabIndex={0}>
      <pre>
        {patch.split('\n').map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place
          <span className={kindOf(line)} key={at}>
            {line}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  )
}

function kindOf(line: string): string | undefined {
  if (/^(?:diff|---|\+\+\+|@@|new file|deleted)/.test(line)) return 'head'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'gone' : undefined
}
