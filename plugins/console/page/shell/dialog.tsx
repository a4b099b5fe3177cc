/** Dialogs: a box over the screen that holds the focus, and questions before something is done. */
import { type ReactNode, useEffect } from 'react'
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { sentence } from '../client/api.ts'
import { words } from '../words/words.ts'
import { useWork } from './work.ts'

/** A box or a menu that closes gives the focus back first, perhaps to what is there no more. */
const FOCUS_MS = 100

/** Gives the focus to an element, or to the screen, if what had it is gone. */
export function keepFocus(find: () => HTMLElement | null = () => document.getElementById('content')): void {
  setTimeout(() => document.activeElement === document.body && find()?.focus({ preventScroll: true }), FOCUS_MS)
}

interface BoxProps {
  readonly title: string
  readonly children: ReactNode
  /** Absent: the box cannot be dismissed. */
  readonly onClose?: () => void
  readonly role?: 'dialog' | 'alertdialog'
  readonly className?: string
}

export function Box({ children, className = '', onClose, role = 'dialog', title }: BoxProps): ReactNode {
  useEffect(() => () => keepFocus(), [])
  return (
    <ModalOverlay
      className="overlay"
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
      isOpen
      onOpenChange={(isOpen) => isOpen || onClose?.()}
    >
      <Modal className={`box ${className}`}>
        <Dialog role={role}>
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

interface QuestionProps {
  readonly title: string
  readonly text: string
  readonly yes: string
  readonly no: string
  readonly onNo: () => void
  readonly onYes: () => Promise<void> | void
}

/** Asks before something is done, and says why it was refused. */
export function Question({ no, onNo, onYes, text, title, yes }: QuestionProps): ReactNode {
  const work = useWork()
  return (
    <Box onClose={onNo} role="alertdialog" title={title}>
      <p>{text}</p>
      {work.failure === undefined ? null : <p className="bad">{sentence(work.failure)}</p>}
      {work.waits === undefined ? null : <p className="soft">{words().waiting(work.waits)}</p>}
      <div className="row end">
        <Button autoFocus className="button" onPress={onNo}>
          {no}
        </Button>
        <Button className="button danger" isPending={work.isBusy} onPress={() => work.run(async () => onYes())}>
          {yes}
        </Button>
      </div>
    </Box>
  )
}
