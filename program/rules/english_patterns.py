"""English: the words and patterns behind :mod:`program.rules.english`."""

import re

from program.rules.english import English

_I = re.IGNORECASE

ENGLISH = English(
    opener=re.compile(
        r"(?:(?:ok(?:ay)?|fine|oh|ah|uh|um|hmm+|well|so|great|cool|nice|perfect|awesome"
        r"|thanks(?:\s+a\s+lot|\s+so\s+much)?|thank\s+you(?:\s+(?:so|very)\s+much)?|got\s+it"
        r"|i\s+see|alright|all\s+right|"
        r"right|sure|yes|yeah|yep|no|nope|hi(?:\s+there)?|hello|hey(?:\s+there)?|good\s+(?:morning"
        r"|afternoon|evening)|interesting|wow|understood|makes\s+sense|good\s+to\s+know"
        r"|by\s+the\s+way|btw|"
        r"in\s+that\s+case|one\s+more\s+(?:thing|question)|also|actually|anyway|then|excuse\s+me"
        r"|sorry|quick\s+question)(?=[\s,.!;:?-]|$)"
        r"|and(?=\s)|but(?=\s)|(?:please\s+)?(?:can|could|would|will)\s+you\s+(?:please\s+)?(?:tell"
        r"|explain\s+to|show|remind)\s+me(?:\s+(?:about|please))?|(?:can|could|would)\s+you\s+(?:please\s+)?(?:explain"
        r"|clarify|describe|check|tell)"
        r"|(?:please\s+)?(?:tell|remind)\s+me(?:\s+about)?|please|i(?:'d|\s+would)\s+(?:like"
        r"|love)\s+to\s+know|i\s+(?:want|need|wanted)\s+to\s+know|i(?:'m|\s+am|\s+was)\s+(?:just\s+)?wondering"
        r"|do\s+you\s+(?:happen\s+to\s+)?know|"
        r"any\s+idea|let\s+me\s+know|may\s+i\s+ask)[\s,.!;:-]*",
        _I,
    ),
    closer=re.compile(r"[\s,]*(?:\b(?:please|thanks|thank you|though|then|by the way|btw|again)\b)?[\s.!]*$", _I),
    clause_break=re.compile(r"(?<=[.!?;])\s+|\n+|(?<=\bthanks),\s*|(?<=\bok),\s*"),
    question=re.compile(
        r"\?|\b(?:how|what|when|where|who|which|why|whose)\b|^\s*(?:is|are|was|were|do"
        r"|does|did|can|could|will|would|should|has|have|tell|explain|show|give|list|describe"
        r"|compare)\b",
        _I,
    ),
    social=re.compile(
        r"(?:(?:hi|hello|hey|greetings|good\s+(?:morning|afternoon|evening|night|day)"
        r"|thanks|thank\s+you|thx|ty|cheers|much\s+appreciated|appreciate\s+it|great|perfect"
        r"|awesome|cool|nice|brilliant|lovely|really\s+helpful|very\s+helpful|helpful"
        r"|ok(?:ay)?|alright|all\s+right|got\s+it|"
        r"i\s+see|understood|makes\s+sense|good\s+to\s+know|sure|yes|yeah|yep|no|nope"
        r"|bye|goodbye|see\s+you|you(?:'re|\s+are)\s+welcome|wow|lol|haha+|how\s+are\s+you"
        r"|that(?:'s|\s+is|\s+was)\s+(?:all|it|great|helpful|very\s+helpful|perfect|good"
        r"|clear|everything))"
        r"(?:\s+(?:there|a\s+lot|so\s+much|very\s+much|a\s+bunch|again|everyone|all|for\s+now"
        r"|for\s+(?:the|your)\s+(?:help|info|information|answer|time)|later|then|i\s+need(?:ed)?))*[\s,.!?;:)😊🙏👍👋-]*)+",
        _I,
    ),
    affirmation=re.compile(
        r"(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|please\s+do|of\s+course|absolutely"
        r"|definitely|go\s+(?:ahead|on)|sounds\s+good|i\s+would|i'd\s+like\s+that|why\s+not"
        r"|do\s+it|do\s+that|that\s+would\s+be\s+(?:great|nice|helpful)|"
        r"that(?:'d|\s+one|\s+please)?|the\s+(?:steps|details)|great|perfect|both|all\s+of\s+them"
        r"|tell\s+me|show\s+me|let's\s+(?:see|hear)(?:\s+(?:it|them))?|i\s+do|thanks|thank\s+you"
        r"|would\s+be\s+great|be\s+great|(?:that\s+)?would\s+help|tell\s+me\s+more|continue)[\s,.!-]*)+",
        _I,
    ),
    ellipsis=re.compile(
        r"^(?:(?:ok(?:ay)?|so|and|but|hmm|then|thanks|right|great|alright)[\s,.!]+)*(?:(?:what"
        r"|how)\s+about|what\s+of|and\s+what\s+about|and\s+(?:(?:for|with|at|in|on|if"
        r"|a|an|when|my|as\s+for)(?=\s)\s*)?(?:the(?=\s)(?!\s+(?:other|first|second|third"
        r"|last|former|latter|previous|\w+\s+one|one))\s*)?|same\s+(?:question\s+)?for"
        r"|as\s+for|or)(?=\s|(?<=\s))\s*"
        r"(?P<topic>(?!how\b|what\b|when\b|where\b|who\b|which\b|why\b|is\b|are\b|do\b"
        r"|does\b|did\b|can\b|could\b|will\b|should\b|was\b|were\b|has\b|have\b)[^?]{1,70}?)[\s?.!]*$",
        _I,
    ),
    offer=re.compile(
        r"(?:would\s+you\s+like|do\s+you\s+want|shall\s+i|should\s+i|want\s+me|i\s+can(?:\s+also)?"
        r"|do\s+you\s+need|are\s+you\s+interested\s+in|let\s+me\s+know\s+if\s+you(?:'d"
        r"|\s+would)?\s+(?:like|want)|want)\s*(?:me\s+)?(?:to\s+)?(?:also\s+)?"
        r"(?:explain|show(?:\s+you)?|list|describe|see|know|hear(?:\s+about)?|walk\s+you\s+through"
        r"|give\s+you|tell\s+you(?:\s+about)?|share|go\s+over|check|look\s+up|send(?:\s+you)?"
        r"|learn(?:\s+about)?|cover|read|have|compare|provide|summari[sz]e)?\s*"
        r"(?P<topic>[^?.!]{3,90}?)(?:[\s,]+(?:as\s+well|too|instead|next|also|for\s+you))*[?.!]\s*$",
        _I,
    ),
    asks_which=re.compile(
        r"\b(?:which|what\s+(?:model|plan|version|type|kind|year|region|department)|do\s+you\s+mean"
        r"|whose)\b[^?]*\?\s*$|\bor\b[^?]{1,40}\?\s*$",
        _I,
    ),
    asks_for_entities=re.compile(
        r"\b(?:which|who|recommend|suggest|alternatives?|what\s+(?:other|else|are\s+the"
        r"|kind|options|models|plans|places|should)|any\s+(?:other|cheaper|better)|nearby)\b",
        _I,
    ),
    recommends=re.compile(
        r"\b(?:recommend|suggest|consider|try|best|ideal|better\s+choice|go\s+for|look\s+at"
        r"|check\s+out|would\s+suit|suits?|you\s+want\s+the|the\s+answer\s+is)\b",
        _I,
    ),
    passing=re.compile(
        r"\b(?:than|unlike|like|as\s+with|versus|vs\.?|not|except|from|near|instead\s+of"
        r"|compared\s+(?:to|with)|similar\s+to|same\s+as|as\s+for|where|whereas|while)\s+(?:the\s+"
        r"|an?\s+|on\s+the\s+)?$",
        _I,
    ),
    conditional=re.compile(r"\b(?:if|when|for\s+those|in\s+case)\b", _I),
    compares_with=re.compile(
        r"\b(?:than|as(?:\s+for|\s+with)?|compared\s+(?:to|with)|versus|vs\.?)\s+(?:the\s+|an?\s+)?$", _I
    ),
    address=re.compile(r"\b(?:located|address|street|road|avenue|situated)\b[^.;]{0,20}$", _I),
    plural=re.compile(
        r"\b(?:they|them|their|these|those|both|all\s+(?:of\s+)?(?:them|these|those)|the\s+(?:two"
        r"|three)|each|either|neither)\b",
        _I,
    ),
    comparison=re.compile(
        r"\b(?:differences?|differ|which\s+(?:one|of)|which\s+(?:is|has|costs|lasts|works"
        r"|would)|compare|comparison|cheaper|versus)\b",
        _I,
    ),
    pair=re.compile(
        r"\b(?:(?:for\s+)?(?:each|both)(?:\s+of\s+(?:them|these|those))?|the\s+two(?:\s+of\s+them)?"
        r"|(?:these|those)\s+two)\b",
        _I,
    ),
    other=re.compile(
        r"\b(?:the|that)\s+(?:other|previous|earlier)(?:\s+(?:one|model|plan|option|place"
        r"|device|version|machine|two|policy))?\b(?!\s+[a-z]*(?:day|week|month|year)s?)",
        _I,
    ),
    described=re.compile(
        r"\b(?!the\s+(?:other|first|second|third|last|same)\b)(?:the|with\s+the|for\s+the)\s+(?:[a-z]+\s+one"
        r"|one)\b(?!\s+(?:i|we)\s+asked)",
        _I,
    ),
    same=re.compile(r"(?:same|too|also|as\s+well|instead)\b", _I),
    about_chat=re.compile(
        r"\bwhat\s+(?:did|have)\s+(?:i|we)\s+(?:just\s+)?(?:ask(?:ed)?|talk(?:ed)?|discuss(?:ed)?|said|say)\b"
        r"|\b(?:list|summari[sz]e|repeat)\s+(?:all\s+)?(?:my|our|this|the)\s+(?:previous\s+|earlier\s+|last\s+)?"
        r"(?:questions?|chat|conversation|discussion)\b|\bmy\s+(?:last|previous|first)\s+question\b",
        _I,
    ),
    modifier=re.compile(
        r"^(?:on|in|at|during|after|before|if|when|for\s+(?:students?|children|kids|seniors"
        r"|part|new|contractors)|without|with|outside|abroad|weekends?|holidays?|under"
        r"|over|per|as\s+an?)\b",
        _I,
    ),
)
