#pragma once

// QCustomPlot 2.1 says `signals:` and `foreach` in its header, which QT_NO_KEYWORDS takes away.
// Both exist only while it is read. For .cpp files alone: a header forward-declares what it needs
// of QCustomPlot.

#define signals Q_SIGNALS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef foreach
#undef signals
