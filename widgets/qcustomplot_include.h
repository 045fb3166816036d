#pragma once

// QCustomPlot 2.1 uses `signals:` and `foreach` in its header, which QT_NO_KEYWORDS removes. Both
// are defined only while that header is read. Include this in .cpp files only: headers
// forward-declare what they need of QCustomPlot.

#define signals Q_SIGNALS
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef foreach
#undef signals
