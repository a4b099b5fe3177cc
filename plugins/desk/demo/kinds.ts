/** The kinds of problems in the demo: the place of each, its answers, and its frequency. */

import type { Level, Problem } from './problem.ts'
import { ACCESS, PROFILE, SIGN_IN } from './problems-account.ts'
import { INVOICE, PAYMENT, REFUND } from './problems-billing.ts'
import { DELIVERY, FEATURE, OFFER, RETURN } from './problems-general.ts'
import { BUG, HARDWARE, INTEGRATION, OUTAGE } from './problems-technical.ts'

export interface Kind {
  readonly category: string
  readonly sub?: string
  readonly department: string
  readonly type: string
  readonly priority: Level
  readonly tags: readonly string[]
  /** Out of a hundred tickets, about this many. */
  readonly share: number
  readonly problems: readonly Problem[]
  /** The comments on such tickets in turns; the agent begins. */
  readonly talks: readonly (readonly string[])[]
  readonly internal?: string
}

const SUPPORT = 'Customer Support'
const TECHNICAL = 'Technical Support'

export const KINDS: readonly Kind[] = [
  {
    category: 'Account',
    sub: 'Password and sign-in',
    department: SUPPORT,
    type: 'Incident',
    priority: 'High',
    tags: ['sign-in'],
    share: 10,
    problems: SIGN_IN,
    talks: [
      [
        'I have ended all sessions and unlocked the account; please sign in once more and scan the new code.',
        'That worked, thank you!',
      ],
      [
        'A fresh link is on its way. It works for one hour, and older ones no longer do.',
        'I am in again.',
        'Good. Please look over the list of your devices while you are there.',
      ],
    ],
    internal: 'Identity checked by the last invoice number.',
  },
  {
    category: 'Account',
    department: SUPPORT,
    type: 'Task',
    priority: 'Medium',
    tags: ['access'],
    share: 8,
    problems: ACCESS,
    talks: [
      ['It is done; the change shows at the next sign-in.', 'Perfect.'],
      [
        'Which role should it be? The list is under Organization, People.',
        'The same as mine, please.',
        'Done, the invitation is out.',
      ],
    ],
  },
  {
    category: 'Account',
    department: SUPPORT,
    type: 'Question',
    priority: 'Low',
    tags: ['profile'],
    share: 7,
    problems: PROFILE,
    talks: [
      ['You find it in your profile under Preferences; I have changed it for you this time.', 'Found it, thanks.'],
    ],
  },
  {
    category: 'Billing',
    sub: 'Invoices',
    department: 'Billing',
    type: 'Problem',
    priority: 'Medium',
    tags: ['invoice'],
    share: 10,
    problems: INVOICE,
    talks: [
      ['I have corrected it and sent you a new copy. Future ones will be right as well.', 'Received, all good now.'],
      ['Thank you, the document is attached to the mail I have just sent.', 'Booked. Please close this.'],
    ],
  },
  {
    category: 'Billing',
    sub: 'Refunds',
    department: 'Billing',
    type: 'Question',
    priority: 'Medium',
    tags: ['refund'],
    share: 9,
    problems: REFUND,
    talks: [
      [
        'It was booked this morning; the amount will be on your account within three working days.',
        'Thanks, I will keep an eye on it.',
        'Please write again if it is not there by then.',
      ],
      ['That was a mistake on our side, and it has been taken back. I am sorry.', 'I can see it, thank you.'],
    ],
    internal: 'The payment provider retried after a time-out; reported to them.',
  },
  {
    category: 'Billing',
    department: 'Billing',
    type: 'Question',
    priority: 'Medium',
    tags: ['payment'],
    share: 7,
    problems: PAYMENT,
    talks: [['I have changed it; the next payment goes the new way.', 'Great, thank you.']],
  },
  {
    category: 'Technical',
    sub: 'Bug report',
    department: TECHNICAL,
    type: 'Problem',
    priority: 'High',
    tags: ['bug'],
    share: 10,
    problems: BUG,
    talks: [
      [
        'I can reproduce it. Until the correction is out, please work with a shorter period.',
        'That works, but it is tedious.',
        'The correction was released tonight. Could you try it again?',
      ],
    ],
    internal: 'Seen by two other customers; linked in the release notes.',
  },
  {
    category: 'Technical',
    sub: 'Integration',
    department: TECHNICAL,
    type: 'Incident',
    priority: 'High',
    tags: ['integration', 'api'],
    share: 7,
    problems: INTEGRATION,
    talks: [
      [
        'Could you send the id and the time of one call? With these I can find it in our log.',
        'Sent. We also moved the work into a queue.',
        'Found: the first call is answered after eleven seconds, and we repeat after ten.',
      ],
    ],
  },
  {
    category: 'Technical',
    department: TECHNICAL,
    type: 'Incident',
    priority: 'Critical',
    tags: ['outage'],
    share: 6,
    problems: OUTAGE,
    talks: [
      ['We found a full disk on one server and moved its work to others. Is it better now?', 'Yes, much better.'],
    ],
    internal: 'Belongs to the incident of that day.',
  },
  {
    category: 'Technical',
    department: TECHNICAL,
    type: 'Incident',
    priority: 'Medium',
    tags: ['hardware'],
    share: 5,
    problems: HARDWARE,
    talks: [
      ['Please unplug it for a minute and hold the button while it starts.', 'It runs again!'],
      ['I am sending you a replacement; please keep the old one unplugged.', 'It has arrived, thank you.'],
    ],
  },
  {
    category: 'Shipping',
    department: SUPPORT,
    type: 'Incident',
    priority: 'High',
    tags: ['delivery'],
    share: 8,
    problems: DELIVERY,
    talks: [
      [
        'I am sorry. I have opened an inquiry with the carrier and will write as soon as they answer.',
        'The neighbour had it! Please close the inquiry.',
      ],
      ['A second parcel goes out today, at our cost.', 'It is here, thanks.'],
    ],
  },
  {
    category: 'Shipping',
    sub: 'Returns',
    department: SUPPORT,
    type: 'Question',
    priority: 'Low',
    tags: ['return'],
    share: 6,
    problems: RETURN,
    talks: [['The label is attached to the mail I have just sent. It is valid for fourteen days.', 'Got it.']],
  },
  {
    category: 'General',
    department: 'Sales',
    type: 'Question',
    priority: 'Medium',
    tags: ['offer'],
    share: 6,
    problems: OFFER,
    talks: [['The offer is on its way; the next level of discount begins at fifty seats.', 'We will take it.']],
  },
  {
    category: 'General',
    department: TECHNICAL,
    type: 'Feature request',
    priority: 'Low',
    tags: ['wish'],
    share: 6,
    problems: FEATURE,
    talks: [['I have added your voice to the request; others are waiting for it as well.']],
  },
]
