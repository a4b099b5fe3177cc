/** Thanks: comments that say nothing else, and such as say more or may do so. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { onlyThanks } from '../../../../plugins/desk/tickets/thanks.ts'

const test = suite('tickets: thanks')

const THANKS = [
  'Thanks, all good now!',
  'Thank you so much for your quick help. Everything works again.',
  'Hi Alba,\n\nperfect, that fixed it. Thanks!\n\nBest regards\nCleo Tester',
  'Thanks Alba, solved.',
  'The problem is gone, thank you!',
  'Great 👍',
  'Vielen Dank für die schnelle Hilfe, jetzt funktioniert alles wieder.',
  'Danke, passt!',
]

const MORE = [
  'Not really.',
  'It is back.',
  'Thanks, but it still does not work.',
  'Thanks. It works now, only the second printer is dead.',
  'Thanks, is it fixed now?',
  'Thanks, the problem again.',
  'Danke, geht leider nicht.',
  'Alles wieder kaputt',
  'Thanks Printer Two',
  '👍',
  'ok',
  `Thanks ${'a lot '.repeat(30)}`,
]

test('a comment that only says thanks is one', () => {
  for (const text of THANKS) assert.ok(onlyThanks(text, ['Cleo', 'Tester']), text)
})

test('one that says more, or may do so, is none', () => {
  for (const text of MORE) assert.not.ok(onlyThanks(text, ['Cleo', 'Tester']), text)
})

test.run()
